"""Walk the summary, read the partitions that it names, and search them for an answer."""

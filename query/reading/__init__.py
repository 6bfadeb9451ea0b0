"""Walk the sets' dependencies, read the partitions that they name, and search for an answer."""

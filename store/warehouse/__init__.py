"""The warehouse folder: file layout, locks, ids and commit records."""

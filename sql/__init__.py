"""Read SQL as DuckDB does: parse it, resolve its names, and refuse texts that cannot be read."""

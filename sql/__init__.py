"""Read SQL as DuckDB does: parse it, resolve its names, and refuse what cannot be read."""

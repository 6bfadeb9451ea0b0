"""Read SQL as DuckDB does: parse it, resolve its names, and refuse SQL that it cannot read."""

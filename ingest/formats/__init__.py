"""Read input files: one module a format."""

"""The `provhouse` command line."""

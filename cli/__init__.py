"""The `provhouse` command."""

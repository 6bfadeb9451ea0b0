"""A page with linked views of one file, for one person on this machine."""

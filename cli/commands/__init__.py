"""The commands. Each is in a module of its own name, or in that of a related command."""

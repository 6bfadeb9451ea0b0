"""The commands. Each has a module with its name, or is in the module of a related command."""

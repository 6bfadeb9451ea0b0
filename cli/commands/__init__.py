"""The commands. Each is in a module with its name, or in the module of a related command."""

"""The commands; each is in the module of its name, or beside the command it belongs to."""

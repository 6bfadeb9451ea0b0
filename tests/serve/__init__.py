"""A package, so that its fixture of package scope, a server, ends with its tests."""

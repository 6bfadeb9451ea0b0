"""This folder is a package, so that its package-scoped fixture, a server, ends with its tests."""

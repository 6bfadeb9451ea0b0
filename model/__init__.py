"""The definitions that all packages share, such as columns and errors; see ``glossary.md``."""

"""The vocabulary of the project: columns, settings, errors; ``glossary.md`` explains the terms."""

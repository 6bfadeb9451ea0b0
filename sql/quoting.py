"""Names and values in SQL text."""

RESERVED = "__provhouse"
"""The prefix of the names that provhouse gives to columns, tables and WITH queries."""


def quoted(name: str) -> str:
    """Return a name as SQL, in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def text_of(value: str) -> str:
    """Return a string as an SQL literal, in single quotes."""
    return "'" + value.replace("'", "''") + "'"

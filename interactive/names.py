"""Names and values in SQL text."""


def quoted(name: str) -> str:
    """Return a name as SQL, in double quotes."""
    return '"' + name.replace('"', '""') + '"'

"""The names of fields in JSON and HTTP, where they differ from the names in Python.

Some of them are keywords or built-in functions of Python, such as ``from`` and ``all``.
"""

from typing import Final

WIRE_NAMES: Final = {
    "source": "from",
    "target": "to",
    "since": "from",
    "until": "to",
    "every": "all",
    "number": "set",
    "set_id": "set",
    "stored": "held",
    "deletion": "delete",
    "unknown": "unknown_values",
}


def wire_name(name: str) -> str:
    """Return the name of a field in JSON and HTTP."""
    return WIRE_NAMES.get(name, name)

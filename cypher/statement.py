"""The statements of ``statements/``, by name."""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """The text of ``statements/<name>.cypher``."""
    return (files(__package__) / "statements" / f"{name}.cypher").read_text(encoding="utf-8")

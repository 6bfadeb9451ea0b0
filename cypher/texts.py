"""Provhouse's own Cypher statements, read from the folder ``statements``."""

import re
from functools import cache
from importlib.resources import files

CONSTRAINT = re.compile(r"CREATE CONSTRAINT (\w+) IF NOT EXISTS\s+FOR \(\w+:(\w+)\) .*", re.DOTALL)
Key = tuple[str, tuple[str, ...]]
"""A label, and the properties whose combined values are unique for it."""


@cache
def statement(name: str) -> str:
    """Return the text of ``statements/<name>.cypher``."""
    return (files(__package__) / "statements" / f"{name}.cypher").read_text(encoding="utf-8")


@cache
def planned_once(name: str) -> str:
    """Return a statement whose plan Neo4j keeps, however much the database grows.

    Otherwise, Neo4j plans again whenever the counts of nodes have changed, which takes longer than
    to write a few rows. Every plan seeks nodes by their keys, so no other plan would be better.
    """
    return f"CYPHER replan=skip\n{statement(name)}"


@cache
def constraints() -> dict[Key, tuple[str, str]]:
    """Return each constraint by its key: its name, and the statement that creates it."""
    found = {}
    for match in map(CONSTRAINT.search, statement("constraints").split(";")):
        if match:
            properties = re.findall(r"\w+\.(\w+)", match[0])
            found[match[2], tuple(properties)] = match[1], " ".join(match[0].split())
    return found

"""Name a Neo4j server and database, and how to log in there."""

from dataclasses import dataclass, field
from pathlib import Path

DATABASE = "neo4j"
"""The database of a managed server: Community edition has only this one."""


@dataclass(frozen=True)
class Address:
    """The URLs of a server, how to log in to it, and the database to use."""

    bolt: str
    http: str
    """The URL of Neo4j Browser; empty if the server is not managed, since it is not known then."""
    user: str
    password: str = field(repr=False)
    password_file: Path | None
    """None for a server to which provhouse does not log in."""
    database: str = DATABASE
    managed: bool = True
    """Whether provhouse starts and stops the server."""

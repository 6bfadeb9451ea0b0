"""The address of a Neo4j server, with its database and the login."""

from dataclasses import dataclass, field
from pathlib import Path

DATABASE = "neo4j"
"""The database of a managed server; Neo4j's Community edition has only this database."""


@dataclass(frozen=True)
class Address:
    """The URLs of a server, the login, and the database to use."""

    bolt: str
    http: str
    """The URL of Neo4j Browser.

    It is empty if the server is not managed, because the URL is then unknown.
    """
    user: str
    password: str = field(repr=False)
    password_file: Path | None
    """The file with the password; None if provhouse connects without a login."""
    database: str = DATABASE
    managed: bool = True
    """Whether provhouse starts and stops the server."""

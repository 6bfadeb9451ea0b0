"""Where a Neo4j server is and how to log in to it."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Address:
    """A server that is up; ``bolt`` and ``http`` are URLs on loopback."""

    bolt: str
    http: str
    user: str
    password: str = field(repr=False)
    password_file: Path

"""Use a Neo4j server that the settings name and that provhouse does not run itself."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.settings import Settings

from .address import Address

SCHEMES = ("bolt", "bolt+s", "neo4j", "neo4j+s")
UNVERIFIED = ("bolt+ssc:", "neo4j+ssc:")
OLDEST = (5, 26)
"""The oldest supported version of Neo4j. Versions after 5 are numbered by year and month."""


def external_address(settings: Settings) -> Address:
    """Return the server's address, as in the settings.

    Raises UsageError if the URI is invalid, and Unavailable if the password file cannot be read.
    """
    _check_uri(settings.neo4j_uri)
    file = settings.neo4j_password_file
    return Address(
        bolt=settings.neo4j_uri,
        http="",
        user=settings.neo4j_user,
        password=_password(file) if file else "",
        password_file=file,
        database=settings.neo4j_database,
        managed=False,
    )


def verify(address: Address) -> str:
    """Return the version of the server, such as ``5.26.30``.

    Raises Unavailable if the server does not answer, is too old, or does not let the user log in.
    """
    from .driver import probe  # this import takes a third of a second, which ``down`` saves

    try:
        agent = probe(address)
    except ValueError as error:  # the driver raises it for unknown host names
        raise Unavailable(
            f"Neo4j at {address.bolt} does not answer",
            str(error),
            "Correct the setting neo4j_uri",
        ) from error
    found = re.match(r"Neo4j/v?((\d+)\.(\d+)\S*)", agent)
    if not found or (int(found[2]), int(found[3])) < OLDEST:
        raise Unavailable(
            f"The server at {address.bolt} cannot be used",
            f"It is {agent}",
            f"Use Neo4j {OLDEST[0]}.{OLDEST[1]} or a later version",
        )
    return found[1]


def _check_uri(uri: str) -> None:
    try:
        parts = urlsplit(uri)
        usable = parts.scheme in SCHEMES and parts.hostname and parts.port != 0
    except ValueError:  # for example, a port that is not a number
        usable = False
    if uri.startswith(UNVERIFIED):
        raise UsageError(
            "The setting neo4j_uri would accept any certificate",
            "With +ssc, another server could pretend to be yours and read the password",
            "Write +s instead, and set the variable SSL_CERT_FILE to a file with the server's "
            "certificate, or its authority's",
        )
    if not usable:
        raise UsageError(
            "The setting neo4j_uri is not the address of a Neo4j server",
            f"It must begin with {', '.join(f'{each}://' for each in SCHEMES)} and name a host",
            "Set it to an address such as bolt://127.0.0.1:7687",
        )
    if parts.username is not None or parts.path not in ("", "/") or parts.query:
        raise UsageError(
            "The setting neo4j_uri contains more than the address of a server",
            "It contains a user, a password, a path or a query",
            "Use the settings neo4j_user, neo4j_password_file and neo4j_database",
        )


def _password(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(
            f"Cannot read Neo4j's password from {file}",
            str(error),
            "Restore the file, or correct the setting neo4j_password_file",
        ) from error

"""Examine a Neo4j server that provhouse does not run: its version and the user's rights on it.

The examination leaves nothing in the database: statements that are run only as a test are rolled
back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import Unavailable
from provhouse.model.settings import Settings
from provhouse.runtime.packages import Deferred

from .address import Address
from .driver import open_driver
from .driver_errors import reported, translated
from .external import external_address, verify
from .texts import Key, constraints

if TYPE_CHECKING:
    import neo4j
else:
    neo4j = Deferred("neo4j")


SHOW = "SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties"
UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS", "NODE_KEY")
"""The types of constraints that ensure unique nodes, including their names since Neo4j 2025."""
WRITE = "CREATE (l:Load {warehouse: $name, commit: $name}) DETACH DELETE l"


@dataclass(frozen=True)
class Allowed:
    """A server whose user has all rights that provhouse needs."""

    address: Address
    version: str
    to_create: int
    """The number of constraints that the first ingest will create."""
    foreign: tuple[str, ...]
    """Constraints that others created on provhouse's labels, and that provhouse may violate."""


def examine(settings: Settings) -> Allowed:
    """Return the version of the server that the settings name, and the state of its constraints.

    Raises Unavailable if the user lacks a right that provhouse needs. If only constraints are
    missing and the user may not create them, the remedy ends with lines of Cypher that create them.
    """
    address = external_address(settings)
    version = verify(address)
    with (
        translated(address),
        open_driver(address) as driver,
        driver.session(database=address.database) as session,
    ):
        _try(session, WRITE, name="provhouse doctor")
        held = session.run(SHOW).data()
        missing = missing_constraints(held)
        for text in missing:
            try:
                _try(session, text)
            except (neo4j.exceptions.ClientError, neo4j.exceptions.DatabaseError) as error:
                raise _lacks(address, error, missing) from error
    return Allowed(address, version, len(missing), tuple(_foreign(held)))


def ensure_constraints(driver: "neo4j.Driver", address: Address) -> None:
    """Create the missing constraints; raise Unavailable if the server refuses."""
    with translated(address), driver.session(database=address.database) as session:
        missing = missing_constraints(session.run(SHOW).data())
        for text in missing:
            try:
                session.run(text).consume()
            except (neo4j.exceptions.ClientError, neo4j.exceptions.DatabaseError) as error:
                raise _lacks(address, error, missing) from error
        if missing:
            session.run("CALL db.awaitIndexes(300)").consume()


def _lacks(address: Address, error: Exception, statements: Sequence[str]) -> Unavailable:
    return Unavailable(
        f"Neo4j at {address.bolt} lacks constraints, and provhouse cannot create them",
        reported(error),
        "\n".join(["Have an administrator run:", *(f"{text};" for text in statements)]),
    )


def missing_constraints(held: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return statements that create those constraints that are not in ``held``.

    ``held`` has the rows of SHOW CONSTRAINTS.
    """
    keys = {_key(row) for row in held if row["type"] in UNIQUE}
    taken = {row["name"] for row in held}
    return tuple(
        text.replace(name, f"provhouse_{name}") if name in taken else text
        for key, (name, text) in constraints().items()
        if key not in keys
    )


def _key(row: Mapping[str, Any]) -> Key:
    return row["labelsOrTypes"][0], tuple(row["properties"])


def _foreign(held: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    labels = {label for label, _ in constraints()}
    for row in held:
        if (
            row["entityType"] == "NODE"
            and row["labelsOrTypes"][0] in labels
            and _key(row) not in constraints()
        ):
            yield f"{row['name']} on {row['labelsOrTypes'][0]}"


def _try(session: "neo4j.Session", text: str, **parameters: str) -> None:
    """Run a statement and roll it back."""
    with session.begin_transaction() as transaction:
        transaction.run(text, parameters).consume()
        transaction.rollback()

"""The Python driver, opened for a server of ours, and its errors in our words."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import (
    AuthError,
    DatabaseError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from provhouse.model.errors import Unavailable

from .config import DATABASE
from .server_record import Address

# Else the driver's warnings about lost connections reach the terminal, beside our own error.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


def open_driver(address: Address) -> Driver:
    """A driver, which connects when first used; close it."""
    return GraphDatabase.driver(
        address.bolt,
        auth=(address.user, address.password),
        connection_timeout=10,
        max_transaction_retry_time=2,  # the server is on this machine: up, or down for good
        notifications_min_severity="OFF",  # an empty database has none of the names asked for
        telemetry_disabled=True,
    )


def is_ready(address: Address) -> bool:
    """Whether the server lets us in by now; raises Unavailable if it refuses the password."""
    try:
        with translated(address), open_driver(address) as driver:
            driver.verify_connectivity()
            with driver.session(database=DATABASE) as session:  # which comes up after its server
                session.run("RETURN 1").consume()  # not execute_query, which would retry
    except Unavailable as error:
        if isinstance(error.__cause__, AuthError):
            raise
        return False
    return True


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Turn what can happen to a server into Unavailable; errors in a statement stay as they are."""
    try:
        yield
    except AuthError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} should take the password in {address.password_file}",
            f"It does not: {error.message}",
            "Write the password that it was changed to into that file",
        ) from error
    except TransientError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} should be able to do this",
            f"It says: {error.message}",
            "If it lacks memory, give it more with PROVHOUSE_NEO4J_MEMORY=2g after: provhouse down",
        ) from error
    except DatabaseError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} should be able to do this",
            f"It says: {error.message}",
            "See whether its disk is full; then run the command again, after: provhouse down",
        ) from error
    except (ServiceUnavailable, SessionExpired) as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} should answer",
            f"It does not: {error}",
            "Run the command again, which starts it where it is not up",
        ) from error

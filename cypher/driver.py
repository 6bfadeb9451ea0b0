"""Open Neo4j's Python driver, and turn its errors into errors of provhouse."""

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

# Without a handler, the driver's warnings about lost connections appear on the terminal.
logging.getLogger("neo4j").addHandler(logging.NullHandler())


def open_driver(address: Address) -> Driver:
    """Return a driver, which connects at its first use; the caller closes it."""
    return GraphDatabase.driver(
        address.bolt,
        auth=(address.user, address.password),
        connection_timeout=10,
        max_transaction_retry_time=2,  # a server on this machine does not come back by itself
        notifications_min_severity="OFF",  # else an empty database causes warnings
        telemetry_disabled=True,
    )


def is_ready(address: Address) -> bool:
    """Return whether the server accepts queries; raise Unavailable if it refuses the password."""
    try:
        with translated(address), open_driver(address) as driver:
            driver.verify_connectivity()
            with driver.session(database=DATABASE) as session:  # the database starts last
                session.run("RETURN 1").consume()  # not execute_query, which would retry
    except Unavailable as error:
        if isinstance(error.__cause__, AuthError):
            raise
        return False
    return True


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Turn failures of the server into Unavailable; errors in a statement pass unchanged."""
    try:
        yield
    except AuthError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} refuses the password in {address.password_file}",
            f"It reports: {error.message}",
            "Write its current password to that file",
        ) from error
    except TransientError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} cannot do this now",
            f"It reports: {error.message}",
            "If it lacks memory, run `provhouse down`, then set PROVHOUSE_NEO4J_MEMORY=2g",
        ) from error
    except DatabaseError as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} has failed",
            f"It reports: {error.message}",
            "Check whether its disk is full, run `provhouse down`, then run the command again",
        ) from error
    except (ServiceUnavailable, SessionExpired) as error:
        raise Unavailable(
            f"Neo4j at {address.bolt} does not answer",
            str(error),
            "Run the command again: it starts Neo4j if Neo4j is down",
        ) from error

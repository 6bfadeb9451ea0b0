"""Open Neo4j's Python driver."""

import logging
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable
from provhouse.runtime.packages import Deferred

from .address import Address
from .driver_errors import translated

if TYPE_CHECKING:
    import neo4j
else:
    neo4j = Deferred("neo4j")


# Without a handler, the driver's warnings about lost connections appear on the terminal.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

RETRY_SECONDS = {True: 2, False: 60}
"""The number of seconds for which a transaction is retried, by whether the server is managed.

Nobody restarts a managed server that has failed, but the owner of another server may restart it.
"""
CONNECT_SECONDS = 60
"""The time limit in seconds for opening a connection, including the check of the password."""
PROBE_SECONDS = 10
"""The time limit in seconds for a new connection that only checks whether a server answers."""
IDLE_SECONDS = 20
"""The number of idle seconds after which a connection is tested.

Firewalls drop idle connections.
"""


def open_driver(address: Address, seconds: float = CONNECT_SECONDS) -> "neo4j.Driver":
    """Return a driver, which connects on first use and which the caller must close.

    ``seconds`` is the time limit for a new connection.
    """
    return neo4j.GraphDatabase.driver(
        address.bolt,
        auth=(address.user, address.password) if address.password_file else None,
        connection_timeout=min(seconds, 10),
        connection_acquisition_timeout=seconds,
        max_transaction_retry_time=RETRY_SECONDS[address.managed],
        liveness_check_timeout=None if address.managed else IDLE_SECONDS,
        notifications_min_severity="OFF",  # an empty database would cause warnings
        telemetry_disabled=True,
    )


def is_ready(address: Address) -> bool:
    """Return whether the server accepts queries. Raise Unavailable if it refuses the password."""
    try:
        probe(address)
    except Unavailable as error:
        if isinstance(error.__cause__, neo4j.exceptions.AuthError):
            raise
        return False
    return True


def probe(address: Address) -> str:
    """Run an empty query; return the server's name and version, such as ``Neo4j/5.26.30``.

    Raises Unavailable at once, without retries, if the query fails.
    """
    with translated(address), open_driver(address, PROBE_SECONDS) as driver:
        agent = driver.get_server_info().agent
        with driver.session(database=address.database) as session:  # the database starts last
            session.run("RETURN 1").consume()  # not execute_query, which would retry
    return agent

"""Use the Neo4j of a warehouse: a managed server, or the server in the setting ``neo4j_uri``.

Only this module distinguishes the two kinds of server.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings

from . import importing, server, view_mark
from .address import Address
from .external import external_address, verify
from .importing import Import

__all__ = [
    "Address",
    "Import",
    "connected",
    "down",
    "has_names",
    "is_fresh",
    "process_id",
    "running",
    "starting",
    "up",
]


@contextmanager
def connected(
    settings: Settings, progress: Progress, first: Import | None = None
) -> Iterator[Address]:
    """Use the server for the duration of the block.

    A managed server is started if it is not running, as ``server.connected`` describes. If it has
    never run, ``first`` is imported before it starts. Any other server must be running. Raises
    Unavailable if the server cannot be reached.
    """
    if settings.neo4j_uri:
        address = external_address(settings)
        verify(address)
        yield address
        return
    with server.connected(settings.graph_home, settings.neo4j_memory, progress, first) as address:
        yield address


@contextmanager
def starting(settings: Settings, progress: Progress, *, briefly: bool = False) -> Iterator[None]:
    """Begin to start a managed server, as ``server.starting`` does. Verify an external server."""
    if settings.neo4j_uri:
        verify(external_address(settings))
        yield
        return
    memory = settings.neo4j_memory
    with server.starting(settings.graph_home, memory, progress, briefly=briefly):
        yield


def up(settings: Settings, progress: Progress) -> Address:
    """Start a managed server and keep it running. Verify an external server. Return the address."""
    if settings.neo4j_uri:
        address = external_address(settings)
        verify(address)
        return address
    return server.up(settings.graph_home, settings.neo4j_memory, progress)


def down(settings: Settings, progress: Progress) -> bool:
    """Stop a managed server; return whether it was running. Do not stop an external server.

    Raises Busy while commands use the managed server.
    """
    return not settings.neo4j_uri and server.down(settings.graph_home, progress)


def running(settings: Settings) -> Address | None:
    """Return the address of the server, or None if it is down; do not start it."""
    if not settings.neo4j_uri:
        return server.running(settings.graph_home)
    try:
        address = external_address(settings)
        verify(address)
    except Unavailable:
        return None
    return address


def is_fresh(settings: Settings) -> bool:
    """Return whether the warehouse's server is managed and has no database yet."""
    return not settings.neo4j_uri and importing.is_fresh(settings.graph_home)


def process_id(settings: Settings) -> int | None:
    """Return the process id of the last managed server, or None if none was ever started."""
    return None if settings.neo4j_uri else server.process_id(settings.graph_home)


def has_names(settings: Settings, warehouse: str, items: Mapping[int, Collection[int]]) -> bool:
    """Return whether a managed server's files may contain item names, as ``view_mark`` records.

    ``items`` contains the numbers of the items, by base. For an external server, the result depends
    only on the nodes of views, because provhouse cannot access the server's files.
    """
    home = settings.graph_home.resolve()
    return not settings.neo4j_uri and view_mark.has_names(home, warehouse, items)

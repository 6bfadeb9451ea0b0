"""The managed Neo4j server: started for whoever needs it, shared, stopped by its last user.

A home folder holds everything of one server: its configuration, data, logs, password, ports and
locks. Only the program itself lies elsewhere, see ``runtime/jars.py``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from provhouse.model.errors import Busy, Unavailable
from provhouse.model.faults import reach
from provhouse.model.progress import Progress

from . import process
from .address import Address
from .config import ensure_password, free_ports, is_free, password_file, write_conf
from .importing import Import, clear, is_fresh
from .leases import Lease, transition
from .state import State

__all__ = [
    "Address",
    "Import",
    "connected",
    "down",
    "is_fresh",
    "password_file",
    "process_id",
    "running",
    "up",
]

PAGE_CACHE = "256m"


@contextmanager
def connected(
    home: Path, memory: str, progress: Progress, first: Import | None = None
) -> Iterator[Address]:
    """Use the server of this home, started if it is not up, for the length of the block.

    The last of several users, in whatever process, stops it again, unless ``up`` keeps it.
    ``memory`` is the heap of a server that has to be started, as in ``1g``. Before its first start
    ever, ``first`` is imported. Raises Unavailable if the server cannot be had; nothing is left
    running then.
    """
    home = home.resolve()
    with _accessible(home), transition(home, progress):
        lease = Lease.join(home)
        try:
            address = _ensured(home, memory, progress, first)
        except BaseException:
            lease.leave()
            raise
    try:
        yield address
    finally:
        with transition(home, progress):
            if lease.leave() and not _state(home).keep:
                process.stop(_state(home).pid, home)


def up(home: Path, memory: str, progress: Progress) -> Address:
    """Start the server if it is not up, and keep it up until ``down``."""
    home = home.resolve()
    with _accessible(home), transition(home, progress):
        address = _ensured(home, memory, progress)
        replace(_state(home), keep=True).save(home)
    return address


def down(home: Path, progress: Progress) -> bool:
    """Stop the server, whoever started it; says whether it was up.

    Raises Busy while commands use it: the last of them stops it then.
    """
    home = home.resolve()
    if State.read(home) is None:
        return False
    with _accessible(home), transition(home, progress):
        state = replace(_state(home), keep=False)
        state.save(home)
        if not Lease.join(home).leave():
            raise Busy(
                "Neo4j should be stopped",
                "Another command is using it",
                "It stops when that command ends",
            )
        was_up = process.serves(state.pid, home)
        process.stop(state.pid, home)
    return was_up


def running(home: Path) -> Address | None:
    """Where the server of this home is, if it is up; nothing is started and nothing waited for."""
    home = home.resolve()
    state = State.read(home)
    if state is None or not process.serves(state.pid, home):
        return None
    return state.address(home)


def process_id(home: Path) -> int | None:
    """The process of the server of this home, if it was ever started."""
    state = State.read(home.resolve())
    return state.pid if state else None


@contextmanager
def _accessible(home: Path) -> Iterator[None]:
    """Make the folder, and say what is wrong if it, or something in it, can't be used."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise Unavailable(
            f"Neo4j keeps its data in {home}, which must be a folder that can be written to",
            str(error),
            "Change its rights, or name another folder with PROVHOUSE_NEO4J_HOME",
        ) from error


def _state(home: Path) -> State:
    return State.read(home) or State(*free_ports())


def _ensured(home: Path, memory: str, progress: Progress, first: Import | None = None) -> Address:
    """The server, up and answering; the caller holds the transition."""
    from .driver import answers  # importing it takes a third of a second that ``down`` needs not

    state = _state(home)
    started = not process.serves(state.pid, home)
    try:
        if started:
            state = _started(home, memory, state, progress, first)
        address = state.address(home)
        process.await_ready(state.pid, home, lambda: answers(address))
        reach("Neo4j up")
    except BaseException:
        if started:
            process.stop_children(home)
        raise
    return address


def _started(
    home: Path, memory: str, state: State, progress: Progress, first: Import | None
) -> State:
    """Start the process and remember it at once, should this command be killed while it waits."""
    process.stop_forgotten(home)
    process.reap(state.pid)  # killed, perhaps, while we live on
    ensure_password(home)
    state = _on_free_ports(state, progress)
    write_conf(home, state.bolt, state.http, PAGE_CACHE)
    clear(home)
    if first and is_fresh(home):
        first.run(home, memory)
    progress.say("Starting Neo4j")
    reach("Neo4j configured")
    state = replace(state, pid=process.start(home, memory))
    reach("Neo4j spawned")
    state.save(home)
    return state


def _on_free_ports(state: State, progress: Progress) -> State:
    if is_free(state.bolt) and is_free(state.http):
        return state
    bolt, http = free_ports()
    progress.say(f"Another program has taken a port of Neo4j, which moves to {bolt} and {http}")
    return replace(state, bolt=bolt, http=http)

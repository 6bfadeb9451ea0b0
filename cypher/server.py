"""The managed Neo4j server, which is started on demand and shared by commands.

Its last user stops it. A home folder contains all files of one server: configuration, data, logs,
password, ports and locks. Only the program is elsewhere: see ``runtime/jars.py``.
"""

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from provhouse.model.errors import Busy, Unavailable
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress

from . import neo4j_process as process
from .address import Address
from .config import ensure_password, free_ports, is_free, write_conf
from .importing import Import, clear, discard, is_fresh
from .leases import Lease, transition
from .server_record import ServerRecord
from .view_mark import clear_mark

PAGE_CACHE = "256m"


@contextmanager
def connected(
    home: Path, memory: str, progress: Progress, first: Import | None = None
) -> Iterator[Address]:
    """Use the server of a home folder for the length of the block; start it if it is down.

    The last user in any process stops the server, unless ``up`` keeps it running. ``memory`` is the
    heap size, such as ``1g``, of a server that must be started. ``first`` is imported before the
    very first start of the server. Raises Unavailable if the server cannot be started or reached.
    In this case, a server that this call started is stopped again.
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
        _leave(home, lease, progress)


@contextmanager
def starting(
    home: Path, memory: str, progress: Progress, *, briefly: bool = False
) -> Iterator[None]:
    """Begin to start the server, unless it is up, and use it for the length of the block.

    Inside the block, call ``connected`` to wait until the server answers. With ``briefly``, the
    server starts faster but writes more slowly, which suits a few hundred queries.
    """
    home = home.resolve()
    with _accessible(home), transition(home, progress):
        lease = Lease.join(home)
        try:
            _spawned(home, memory, progress, briefly=briefly)
        except BaseException:
            lease.leave()
            raise
    try:
        yield
    finally:
        _leave(home, lease, progress)


def _leave(home: Path, lease: Lease, progress: Progress) -> None:
    """Stop using the server. The last user stops it, unless ``up`` keeps it running."""
    if not home.is_dir():  # deleted, so no command finds the server
        process.stop_unrecorded(home)
        return
    with transition(home, progress):
        record = ServerRecord.read(home)
        if lease.leave() and not (record and record.keep):
            process.stop(record.pid, home) if record else process.stop_unrecorded(home)


def up(home: Path, memory: str, progress: Progress) -> Address:
    """Start the server if it is down, and keep it running until ``down``; return its address."""
    home = home.resolve()
    with _accessible(home), transition(home, progress):
        address = _ensured(home, memory, progress)
        replace(_record(home), keep=True).save(home)
    return address


def down(home: Path, progress: Progress) -> bool:
    """Stop the server, whichever process started it; return whether it was running.

    Raises Busy if commands use the server; in this case, the last of these commands stops it.
    """
    home = home.resolve()
    if ServerRecord.read(home) is None:
        return False
    with _accessible(home), transition(home, progress):
        record = replace(_record(home), keep=False)
        record.save(home)
        if not Lease.join(home).leave():
            raise Busy(
                "Cannot stop Neo4j now",
                "Another command is using it",
                "It stops when that command ends",
            )
        was_up = process.serves(record.pid, home)
        process.stop(record.pid, home)
    return was_up


def wipe(home: Path, progress: Progress) -> None:
    """Stop the server of a home folder; delete its data and logs, but keep its password and ports.

    If commands use the server, raises Busy without changing anything.
    """
    home = home.resolve()
    if not home.is_dir():
        return
    with transition(home, progress):
        if not Lease.join(home).leave():
            raise Busy(
                f"Cannot remove the erased items from Neo4j in {home}",
                "Another command is using it",
                "Everything else is done. Run `provhouse check --repair` when that command, or the "
                "server, has ended",
            )
        process.stop_unrecorded(home)
        discard(home)
        shutil.rmtree(home / "logs", ignore_errors=True)
        clear_mark(home)
    reach("Neo4j wiped")


def running(home: Path) -> Address | None:
    """Return the address of a home folder's server, or None if it is down. Does not wait."""
    home = home.resolve()
    record = ServerRecord.read(home)
    if record is None or not process.serves(record.pid, home):
        return None
    return record.address(home)


def process_id(home: Path) -> int | None:
    """Return the process id of the last server of a home folder, or None if none was started."""
    record = ServerRecord.read(home.resolve())
    return record.pid if record else None


@contextmanager
def _accessible(home: Path) -> Iterator[None]:
    """Create the home folder and run the block; turn an OSError in the block into Unavailable."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise process.full_disk(home) from error
        raise Unavailable(
            f"Cannot use {home}, the folder of Neo4j's data",
            str(error),
            "Change its permissions, or choose another folder with PROVHOUSE_NEO4J_HOME",
        ) from error


def _record(home: Path) -> ServerRecord:
    return ServerRecord.read(home) or ServerRecord(*free_ports())


def _ensured(home: Path, memory: str, progress: Progress, first: Import | None = None) -> Address:
    """Start the server if it is down, and wait until it answers.

    Call this only inside a transition.
    """
    from .driver import is_ready  # this import takes a third of a second, which ``down`` saves

    record, started = _spawned(home, memory, progress, first)
    try:
        address = record.address(home)
        process.await_ready(record.pid, home, lambda: is_ready(address))
        reach("Neo4j up")
    except BaseException:
        if started:
            process.stop_children(home)
        raise
    return address


def _spawned(
    home: Path,
    memory: str,
    progress: Progress,
    first: Import | None = None,
    *,
    briefly: bool = False,
) -> tuple[ServerRecord, bool]:
    """Start the server's process if it is down; return its record, and whether it was started."""
    record = _record(home)
    if process.serves(record.pid, home) or process.begins(record.pid):
        return record, False
    try:
        return _started(home, memory, record, progress, first, briefly), True
    except BaseException:
        process.stop_children(home)
        raise


def _started(
    home: Path,
    memory: str,
    record: ServerRecord,
    progress: Progress,
    first: Import | None,
    briefly: bool,
) -> ServerRecord:
    """Start the server's process, and record it at once in case this command is killed."""
    process.stop_unrecorded(home)
    process.reap(record.pid)  # a killed server may be a zombie of this process
    ensure_password(home)
    record = _on_free_ports(record, progress)
    write_conf(home, record.bolt, record.http, PAGE_CACHE)
    clear(home)
    if first and is_fresh(home):
        first.run(home, memory)
        briefly = briefly or first.whole
    progress.say("Starting Neo4j")
    reach("Neo4j configured")
    record = replace(record, pid=process.start(home, memory, briefly=briefly))
    reach("Neo4j spawned")
    record.save(home)
    return record


def _on_free_ports(record: ServerRecord, progress: Progress) -> ServerRecord:
    if is_free(record.bolt) and is_free(record.http):
        return record
    bolt, http = free_ports()
    progress.say(f"Another program has taken a port of Neo4j, which now uses {bolt} and {http}")
    return replace(record, bolt=bolt, http=http)

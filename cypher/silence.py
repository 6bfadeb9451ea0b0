"""Wait for Neo4j, and detect a server that no longer answers.

If the process of a server was stopped (SIGSTOP), or if the network loses packets, the connection
stays open but no reply ever arrives. A statement may take minutes, so a time limit for statements
would not tell such a server from a busy one. But a busy server still accepts a new connection
within milliseconds, which is why a new connection is tried.
"""

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError, wait
from contextlib import suppress
from threading import TIMEOUT_MAX, Thread
from time import monotonic
from typing import TypeVar

from provhouse.model.errors import TooSlow, Unavailable
from provhouse.model.progress import Stopwatch

from .address import Address
from .driver import is_ready

T = TypeVar("T")
SILENT_SECONDS = 5.0
"""The number of seconds without a reply after which a new connection is tried.

While there is no reply, further new connections are tried at the same interval.
"""


def awaited(
    work: Callable[[], T],
    address: Address,
    lost: Callable[[], None],
    watch: Stopwatch | None = None,
) -> T:
    """Do some work with a server in another thread, and return the work's result.

    If the server no longer answers, calls ``lost`` and raises Unavailable. Raises TooSlow if the
    time limit of ``watch`` has passed. In both cases, the thread runs on until the server answers,
    and the result is dropped.
    """
    result: Future[T] = Future()
    Thread(target=_do, args=(work, result), name="neo4j", daemon=True).start()
    late, watched = monotonic() + SILENT_SECONDS, False
    while not wait([result], min(_pause(watch, address), max(late - monotonic(), 0))).done:
        if not watched and monotonic() >= late:
            args = (result, address, lost)
            Thread(target=_watch, args=args, name="neo4j", daemon=True).start()
            late, watched = TIMEOUT_MAX, True
    return result.result()


def _do(work: Callable[[], T], result: "Future[T]") -> None:
    with suppress(InvalidStateError):  # the caller no longer waits
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)


def _watch(result: "Future[T]", address: Address, lost: Callable[[], None]) -> None:
    while not wait([result], 0).done:
        if not _answers(address):
            lost()
            with suppress(InvalidStateError):
                result.set_exception(_silent(address))
        wait([result], SILENT_SECONDS)


def _answers(address: Address) -> bool:
    try:
        return is_ready(address)
    except Unavailable:  # the server refuses the password
        return True
    except ValueError:  # the host name no longer resolves
        return False


def _silent(address: Address) -> Unavailable:
    remedy = (
        "Let its process continue, or end it with `provhouse down`, then run the command again"
        if address.managed
        else "Check the server and the network, then run the command again"
    )
    return Unavailable(
        f"Neo4j at {address.bolt} does not answer",
        "Its process is stopped or hangs, or the network loses packets: there was no reply "
        f"for {SILENT_SECONDS:g} seconds, and none on a new connection",
        remedy,
    )


def _pause(watch: Stopwatch | None, address: Address) -> float:
    """Return how many seconds to wait before the next call; raise TooSlow if none are left."""
    try:
        left = watch.pause() if watch else None
    except TooSlow as error:
        if watch and watch.disconnected:
            raise
        waited = f"It was waiting for Neo4j at {address.bolt}, which did not answer until then"
        raise TooSlow(error.wanted, waited, "Check Neo4j, or allow more time") from error
    return TIMEOUT_MAX if left is None else left

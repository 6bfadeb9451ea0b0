"""One job reads a partition for all waiting readers.

The job is cancelled as soon as all of them have given up.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest

from provhouse.model.errors import TooSlow, Unavailable
from provhouse.model.progress import Stopwatch
from provhouse.store.cache.shared_reads import JOBS, Blocks, SharedReads

A, B, C, D = Path("a"), Path("b"), Path("c"), Path("d")


LONG = 120
"""The maximum time of any wait, in seconds, even on a busy machine."""


class Reader:
    """A reader of partitions that waits until ``go`` is set, and records all requests."""

    def __init__(self) -> None:
        self.go = Event()
        self.begun: list[list[Path]] = []
        self.cancelled: list[str] = []

    def read(self, _: str, partitions: Sequence[Path]) -> Blocks:
        self.begun.append(list(partitions))
        assert self.go.wait(LONG)
        return {partition: str(partition).encode() for partition in partitions}

    def has_begun(self, jobs: int) -> bool:
        until = monotonic() + LONG
        while len(self.begun) < jobs and monotonic() < until:
            sleep(0.005)
        return len(self.begun) == jobs


@pytest.fixture
def reads() -> Iterator[SharedReads]:
    opened = SharedReads()
    yield opened
    opened.close()


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(JOBS + 1) as pool:
        yield pool


def test_later_readers_share_the_job(reads: SharedReads, others: ThreadPoolExecutor) -> None:
    reader = Reader()
    ask = reads.blocks
    first = others.submit(ask, [A, B], reader.read, reader.cancelled.append, Stopwatch())
    assert reader.has_begun(1)
    later = [
        others.submit(ask, wanted, reader.read, reader.cancelled.append, Stopwatch())
        for wanted in ([B, C], [A, D])
    ]
    assert reader.has_begun(3)
    reader.go.set()
    assert first.result(LONG) == {A: b"a", B: b"b"}
    assert [one.result(LONG) for one in later] == [{B: b"b", C: b"c"}, {A: b"a", D: b"d"}]
    assert reader.begun[0] == [A, B]
    assert sorted(reader.begun[1:]) == [[C], [D]]
    assert ask([A], reader.read, reader.cancelled.append, Stopwatch()) == {
        A: b"a"
    }  # results are not kept in a cache
    assert reader.begun[3:] == [[A]]
    assert reader.cancelled == []


def test_a_job_is_cancelled_with_its_last_reader(
    reads: SharedReads, others: ThreadPoolExecutor
) -> None:
    reader = Reader()
    patient = others.submit(
        reads.blocks, [A], reader.read, reader.cancelled.append, Stopwatch(LONG)
    )
    assert reader.has_begun(1)
    with pytest.raises(TooSlow):
        reads.blocks([A], reader.read, reader.cancelled.append, Stopwatch(0.05))
    assert reader.cancelled == []
    reader.go.set()
    assert patient.result(LONG) == {A: b"a"}
    reader.go.clear()
    gone = Event()
    left = others.submit(
        reads.blocks, [B], reader.read, reader.cancelled.append, Stopwatch(None, gone)
    )
    assert reader.has_begun(2)
    gone.set()
    with pytest.raises(TooSlow):
        left.result(LONG)
    assert len(reader.cancelled) == 1
    after = others.submit(reads.blocks, [B], reader.read, reader.cancelled.append, Stopwatch())
    assert reader.has_begun(3)  # a cancelled job is not shared with later readers
    reader.go.set()
    assert after.result(LONG) == {B: b"b"}


def test_an_error_reaches_all_readers(reads: SharedReads, others: ThreadPoolExecutor) -> None:
    go = Event()

    def fail(_: str, __: Sequence[Path]) -> Blocks:
        go.wait(LONG)
        raise OSError("torn")

    both = [others.submit(reads.blocks, [A], fail, print, Stopwatch()) for _ in range(2)]
    go.set()
    for one in both:
        with pytest.raises(OSError, match="torn"):
            one.result(LONG)


def test_a_reader_that_disconnects_stops_waiting(
    reads: SharedReads, others: ThreadPoolExecutor
) -> None:
    reader, gone = Reader(), Event()
    asked = others.submit(
        reads.blocks, [A], reader.read, reader.cancelled.append, Stopwatch(None, gone)
    )
    assert reader.has_begun(1)
    gone.set()
    with pytest.raises(TooSlow, match="disconnected"):
        asked.result(LONG)
    assert len(reader.cancelled) == 1
    reader.go.set()


def test_a_reader_is_refused_once_spark_has_ended(
    reads: SharedReads, others: ThreadPoolExecutor
) -> None:
    reader = Reader()
    running = [
        others.submit(reads.blocks, [Path(str(n))], reader.read, print, Stopwatch())
        for n in range(JOBS)
    ]
    assert reader.has_begun(JOBS)
    waiting = others.submit(reads.blocks, [A], reader.read, print, Stopwatch())
    while A not in reads._under_way:
        sleep(0.005)
    reads.close()
    with pytest.raises(Unavailable):
        waiting.result(LONG)
    with pytest.raises(Unavailable):
        reads.blocks([B], reader.read, print, Stopwatch())
    reader.go.set()
    assert all(one.result(LONG) for one in running)

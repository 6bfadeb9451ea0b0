"""A pipe passes text from the thread that writes an answer to the thread that reads it."""

from threading import active_count
from time import monotonic, sleep
from typing import TextIO

import pytest

from provhouse.serve.streaming import AHEAD, PIECE, Pipe

LINE = "ü" * 99 + "\n"
LINES = AHEAD * PIECE // 50


def test_the_text_is_unchanged() -> None:
    def write(handle: TextIO) -> None:
        for _ in range(LINES):
            handle.write(LINE)

    assert b"".join(Pipe(write)) == (LINE * LINES).encode()


def test_a_writer_waits_for_its_reader() -> None:
    written = 0

    def write(handle: TextIO) -> None:
        nonlocal written
        for _ in range(4 * LINES):
            written += handle.write(LINE)

    pipe = Pipe(write)
    pieces = iter(pipe)
    next(pieces)
    sleep(0.2)
    assert written < (AHEAD + 3) * PIECE
    threads = active_count()
    pipe.close()
    until = monotonic() + 10
    while active_count() == threads and monotonic() < until:
        sleep(0.01)
    assert active_count() < threads  # the thread that writes has ended


def test_an_error_is_raised_after_the_text_before_it() -> None:
    def write(handle: TextIO) -> None:
        handle.write("x" * PIECE)
        raise ValueError("and no further")

    pieces = iter(Pipe(write))
    assert next(pieces) == b"x" * PIECE
    with pytest.raises(ValueError, match="and no further"):
        next(pieces)

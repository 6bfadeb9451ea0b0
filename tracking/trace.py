"""Lineage that a program records itself, one derivation after another: ``provhouse.trace``."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import get_args

import pyarrow as pa

from provhouse.model.derivations import UNKNOWN, Kind
from provhouse.model.errors import Unavailable, UsageError

from .program_place import program_place
from .tracked_triples import SCHEMA, ingest_triples, write_triples

Name = str | tuple[str, str | int]
"""An item: its name, as in ``"orders/17"``, or its table and key, as in ``("orders", 17)``."""
Row = tuple[str, str, str, str, str, str]
BATCH = 1 << 16
"""The number of triples to collect as Python objects before they become an Arrow batch."""
KINDS = (*get_args(Kind), UNKNOWN)


def trace(
    file: str | os.PathLike[str] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    warehouse: str | os.PathLike[str] | None = None,
    run: str | None = None,
    **settings: object,
) -> Trace:
    """Return a trace that a program writes, to one of three targets.

    ``file`` must end in ``.csv`` or ``.parquet``; the file appears, complete, when the trace is
    closed. ``folder`` is for services: a Parquet file is written there at each ``commit``, after
    each 65,536 triples, and at the end. ``provhouse ingest`` reads both. ``warehouse`` is a
    warehouse that ingests the triples of each ``commit`` as one generation, with ``run`` as the
    name of the run; ``settings`` are as in ``provhouse.open``. Raises UsageError unless there is
    exactly one target.

    >>> with trace("trace.csv") as recorded:
    ...     with recorded.step("clean", table="orders") as step:
    ...         step.derive(17, from_=["raw/4711", ("customers", 3)])
    """
    given = [each for each in (file, folder, warehouse) if each is not None]
    if len(given) != 1:
        raise UsageError(
            "A trace needs one target",
            f"{len(given)} are given",
            "Name a file, as in trace('trace.parquet'), or folder=, or warehouse=",
        )
    if warehouse is None and (run is not None or settings):
        raise UsageError(
            "run and settings are for a warehouse", "", "Give the run to `provhouse ingest --run`"
        )
    kind = "file" if file is not None else "folder" if folder is not None else "warehouse"
    if kind == "file" and Path(given[0]).suffix.lower() not in (".csv", ".parquet"):
        raise UsageError(
            f"Cannot write a trace to {given[0]}",
            "Its name ends in neither .csv nor .parquet",
            "Choose a name such as trace.parquet, or folder= for several files",
        )
    return Trace(kind, Path(given[0]), run, settings)


class Trace:
    """Recorded derivations, which ``commit`` or the end of the ``with`` block writes.

    Several threads may record at the same time. An exception in the block discards all derivations
    that are not committed.
    """

    def __init__(
        self, kind: str, target: Path, run: str | None, settings: dict[str, object]
    ) -> None:
        self._kind, self._target, self._run, self._settings = kind, target, run, settings
        self._lock = threading.RLock()
        self._rows: list[Row] = []
        self._batches: list[pa.RecordBatch] = []
        self._closed = False

    def step(self, name: str, *, table: str) -> Step:
        """Return a step that derives items of a table; use it in a ``with`` statement.

        The op of its triples consists of the name and the position in the program. An exception in
        the block discards the step's derivations.
        """
        place = program_place()
        if not name or not table:
            raise UsageError(
                f"The step at {place} needs a name and a table", "One of them is empty"
            )
        return Step(self, name, table, place)

    def add(self, rows: list[Row], place: str) -> None:
        """Add the triples of a step that has ended. Raises UsageError if the trace is closed."""
        with self._lock:
            if self._closed:
                raise UsageError(
                    f"The step at {place} cannot be recorded",
                    "The trace is closed",
                    "End all steps inside the trace's with statement",
                )
            self._rows += rows
            if len(self._rows) >= BATCH:
                self._pack()
                if self._kind == "folder":
                    self.commit()

    def _pack(self) -> None:
        if self._rows:
            columns = [pa.array(each, pa.string()) for each in zip(*self._rows, strict=True)]
            self._batches.append(pa.record_batch(columns, schema=SCHEMA))
            self._rows = []

    def commit(self) -> int:
        """Write all triples that are not written yet, or none of them; return their number.

        A trace to a ``file`` cannot be committed, since the file is written only at the end. After
        an error, the triples are kept.
        """
        with self._lock:
            self._pack()
            number: int = sum(batch.num_rows for batch in self._batches)
            if self._kind == "file" and not self._closed:
                raise UsageError(
                    "A trace to one file is written when it is closed",
                    "",
                    "Use trace(folder=...) to write a file at each commit",
                )
            if number or self._kind == "file":
                self._write()
            self._batches = []
            return number

    def _write(self) -> None:
        if self._kind == "warehouse":
            ingest_triples(iter(self._batches), self._target, "trace", self._run, self._settings)
        elif self._kind == "file":
            write_triples(iter(self._batches), self._target)
        else:
            try:
                self._target.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Unavailable(
                    f"Cannot make the folder {self._target}",
                    error.strerror or "",
                    "Check its path and permissions",
                ) from error
            name = f"{time.time_ns()}-{secrets.token_hex(3)}.parquet"
            write_triples(iter(self._batches), self._target / name)

    def close(self) -> None:
        """Write all triples that are not written yet, and accept no more steps."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self.commit()

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._closed = True


class Step:
    """A step of a program, and the derivations that it has recorded so far."""

    def __init__(self, trace: Trace, name: str, table: str, place: str) -> None:
        self._trace, self._table, self._place = trace, table, place
        self._op = f"{name} {place}"
        self._rows: list[Row] = []

    def derive(self, out: str | int, *, from_: Iterable[Name], kind: str = "all") -> None:
        """Record that an item of the step's table was derived from items.

        ``out`` is the key of the derived item. ``kind`` is the kind of the derivation
        (``docs/derivations.md``). Raises UsageError, with the position in the program, if a name or
        all inputs are missing.
        """
        if kind not in KINDS:
            raise self._error(f"has the kind {kind!r}", f"Kinds are: {', '.join(KINDS)}")
        dst = f"{self._table}/{self._key(out, 'out')}"
        if isinstance(from_, str):
            raise self._error("has one text as from_", "Give a list: from_=['raw/17']")
        rows = []
        for each in from_:
            table, key = self._split(each)
            rows.append(
                (f"{table}/{key}" if table else key, dst, self._op, table, self._table, kind)
            )
        if not rows:
            raise self._error("derives an item from nothing", "Name its inputs in from_")
        self._rows += rows

    def _split(self, given: object) -> tuple[str, str]:
        if isinstance(given, tuple) and len(given) == 2:
            table, key = given
            if isinstance(table, str) and table:
                return table, self._key(key, "from_")
        elif isinstance(given, str) and given:
            table, slash, key = given.rpartition("/")
            return (table, key) if slash and table and key else ("", given)
        raise self._error(
            f"has {given!r} in from_", "Give a name, as 'raw/17', or a table and a key: ('raw', 17)"
        )

    def _key(self, key: object, where: str) -> str:
        if isinstance(key, bool) or not isinstance(key, str | int) or key == "":
            raise self._error(f"has the key {key!r} in {where}", "A key is a text or an integer")
        return str(key)

    def _error(self, found: str, remedy: str) -> UsageError:
        return UsageError(
            f"The step {self._op} {found}", f"derive was called at {program_place()}", remedy
        )

    def __enter__(self) -> Step:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if kind is None:
            self._trace.add(self._rows, self._place)
        self._rows = []

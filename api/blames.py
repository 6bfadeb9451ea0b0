"""Find the records to blame for a failing test: wrong rows, their lineage, and a smallest input."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from provhouse.capturing.reading.row_keys import texts
from provhouse.capturing.walks.cursor_ids import ID
from provhouse.capturing.walks.fault_tests import Selecting
from provhouse.capturing.walks.file_addresses import spark_path
from provhouse.capturing.walks.minimal import Remembered, smallest
from provhouse.capturing.walks.numbers import NumberedFile
from provhouse.capturing.walks.raw_records import records
from provhouse.capturing.walks.wrong import Wrong
from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.samples import sample_sentence
from provhouse.model.settings import Settings
from provhouse.query.blamed import Blamed
from provhouse.query.source_records import UNREADABLE, Record, TableRecords
from provhouse.runtime.spark.session import spark as session
from provhouse.store.tables.file_table import NUMBER, PATH, read_files
from provhouse.store.tables.pins import read_pins
from provhouse.store.tables.written import Written, read_since
from provhouse.store.warehouse.layout import Layout

from .warehouse import Warehouse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Tables = Mapping[str, "DataFrame"]
Program = Callable[[Tables], "DataFrame"]
"""A program that gets the tables that it reads, and returns the table that has wrong rows."""
NO_ERRORS: Final[Mapping[str, BadInput]] = MappingProxyType({})
MOST_ROWS = 20
"""The maximum number of wrong rows that are shown."""
MOST_RECORDS = 100_000
"""The maximum number of lineage records that are searched."""


def blame(
    warehouse: Warehouse,
    settings: Settings,
    table: str,
    test: str | Selecting,
    program: Program | None = None,
) -> Blamed:
    """Return the wrong rows that a captured job wrote to a table, and the records to blame.

    ``test`` is an SQL condition that is true for wrong rows, or a test that selects the wrong rows.
    The program runs repeatedly on parts of the first wrong row's lineage. Raises UsageError if no
    captured job wrote the table, if the test cannot be run, if the program reads a table that no
    captured job read, or if the program, run on the whole lineage, does not produce the wrong row.
    Raises BadInput if a file has changed, if the lineage may be incomplete because of a sample, or
    if the program reads a table of which records are missing.
    """
    from pyspark.errors import PySparkException

    newest = _Newest.of(Layout(settings.warehouse), table)
    spark = session(settings, newest.layout.logs)
    try:
        wrong = _wrong(test, newest.frame(spark), _Pinned(spark, newest.layout, {}))
        rows = newest.records(wrong.limit(MOST_ROWS + 1))
    except PySparkException as error:
        raise UsageError(
            f"Cannot find the wrong rows of {table}",
            str(error).splitlines()[0],
            "Correct the condition or the test",
        ) from error
    shown, more = rows[:MOST_ROWS], len(rows) > MOST_ROWS
    if not rows:
        return Blamed(table, (), False)
    answer = warehouse.lineage(shown[0].item)
    if answer.samples:
        raise BadInput(
            f"The lineage of {shown[0].item} may be incomplete",
            sample_sentence(answer.samples),
            "Run the job again with capture of all rows",
        )
    behind = warehouse.records(answer, MOST_RECORDS)
    lineage = tuple(each for each in behind.tables if each.table != table)
    if program is None:
        return Blamed(table, shown, more, lineage)
    if behind.more:
        raise _incomplete(shown[0].item, f"It has more than {MOST_RECORDS:,} records")
    search = _Search(spark, newest, test, program, shown[0], lineage)
    found, runs = search.run()
    return Blamed(table, shown, more, lineage, found, runs)


def _wrong(test: str | Selecting, frame: "DataFrame", tables: Tables) -> "DataFrame":
    return frame.where(test) if isinstance(test, str) else test.rows(frame, tables)


def _incomplete(item: str, reason: str) -> BadInput:
    return BadInput(
        f"Some records in the lineage of {item} are missing",
        reason,
        "Run the job again with capture, or leave out --program",
    )


def _missing(table: TableRecords) -> str:
    missing = f"{len(table.missing):,} records of {table.table}"
    if all(each.state == UNREADABLE for each in table.lost):
        return f"{missing} are in no readable Parquet file of a captured job"
    return f"{missing} were deleted or have changed"


@dataclass(frozen=True)
class _Newest:
    """The files that contain a table's current rows, if captured jobs wrote them."""

    layout: Layout
    table: str
    files: tuple[NumberedFile, ...]
    writes: Mapping[int, Written]

    @classmethod
    def of(cls, layout: Layout, table: str) -> "_Newest":
        """Return the files of a table. Raises UsageError if no captured job wrote it."""
        writes = [each for each in read_since(layout, 0) if each.table == table]
        if not writes:
            known = ", ".join(dict.fromkeys(each.table for each in read_since(layout, 0)))
            raise UsageError(
                f"No captured job wrote the table {table}",
                f"Tables with captured writes: {known or 'none'}",
                "Name one of these, or capture the job that writes it",
            )
        last = max((at for at, each in enumerate(writes) if each.replaces), default=0)
        by_number = {number: write for write in writes[last:] for number in write.files}
        known_files = read_files(layout)
        paths = dict(
            zip(known_files[NUMBER].to_pylist(), known_files[PATH].to_pylist(), strict=True)
        )
        pins = {pin.path: pin for pin in read_pins(layout, {table})}
        files = []
        for number, write in by_number.items():
            path, root = Path(paths[number]), Path(write.path or paths[number])
            if path not in pins or (state := pins[path].difference()):
                raise BadInput(
                    f"A file of {table} has changed since the captured job wrote it",
                    f"{path} is {state if path in pins else 'not known'}",
                    "Run the job again with capture",
                )
            files.append(NumberedFile(number, path, root, table, "parquet", None))
        return cls(layout, table, tuple(files), by_number)

    def frame(self, spark: "SparkSession") -> "DataFrame":
        """Return the rows, with the additional column ``ID``."""
        return records(spark, self.files, None)

    def records(self, rows: "DataFrame") -> tuple[Record, ...]:
        """Return a record, with its item's name, for each row of the frame."""
        found = rows.toArrow()
        ids, values = np.asarray(found[ID].combine_chunks()), found.drop_columns([ID])
        paths = {file.number: file.path for file in self.files}
        return tuple(
            Record(self._item(int(row), values.slice(at, 1)), paths[int(row) >> ROW_BITS], each)
            for at, (row, each) in enumerate(zip(ids, values.to_pylist(), strict=True))
        )

    def _item(self, row: int, values: object) -> str:
        write = self.writes[row >> ROW_BITS]
        if not write.key:
            return f"{self.table}/{row}"
        key = texts(values.select([*write.columns_in_files]))  # type: ignore[attr-defined]
        return f"{self.table}/{key[0].as_py()}{write.suffix}"

    def key(self, record: Record) -> dict[str, object]:
        """Return the key values of a row."""
        write = next(iter(self.writes.values()))
        columns = zip(write.key, write.columns_in_files, strict=True)
        return {name: record.values[stored] for name, stored in columns}


class _Pinned(Mapping[str, "DataFrame"]):
    """Tables by name: the given frames, and an empty frame for every other captured table.

    A table in ``errors`` raises its error instead.
    """

    def __init__(
        self,
        spark: "SparkSession",
        layout: Layout,
        frames: Mapping[str, "DataFrame"],
        errors: Mapping[str, BadInput] = NO_ERRORS,
    ) -> None:
        self._spark, self._layout, self._frames = spark, layout, dict(frames)
        self._errors = errors
        self.used = set[str]()

    def __getitem__(self, name: str) -> "DataFrame":
        self.used.add(name)
        if name in self._errors:
            raise self._errors[name]
        if name not in self._frames:
            pins = [pin for pin in read_pins(self._layout, {name}) if not pin.difference()]
            if not pins:
                raise UsageError(
                    f"The program reads the table {name}, but no captured job read it",
                    f"Tables of the lineage: {', '.join(self._frames) or 'none'}",
                    "Name tables as the warehouse does: by the last part of their path",
                )
            self._frames[name] = self._spark.read.parquet(spark_path(pins[-1].path)).limit(0)
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        pinned = (pin.table for pin in read_pins(self._layout))
        return iter(dict.fromkeys([*self._frames, *self._errors, *pinned]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Search:
    """Runs of a program on parts of a wrong row's lineage."""

    def __init__(
        self,
        spark: "SparkSession",
        newest: _Newest,
        test: str | Selecting,
        program: Program,
        row: Record,
        lineage: Sequence[TableRecords],
    ) -> None:
        self._spark, self._newest, self._test, self._program = spark, newest, test, program
        self._row, self._lineage = row, lineage
        self._schemas = {
            each.table: spark.read.parquet(spark_path(each.records[0].file)).schema
            for each in lineage
            if each.records
        }
        # A program may read only tables that lie between the missing records and the row.
        self._errors = {
            each.table: _incomplete(row.item, _missing(each)) for each in lineage if each.missing
        }
        self._first = np.cumsum([0, *(len(each.records) for each in lineage)])
        self._used = set[str]()

    def run(self) -> tuple[tuple[TableRecords, ...], int]:
        """Return the records that the wrong row needs, and the number of runs."""
        fails = Remembered(self._fails)
        every = np.arange(self._first[-1])
        if not self._goes_wrong(every):
            raise UsageError(
                f"The program's result on the lineage of {self._row.item} is not wrong",
                f"It read {', '.join(sorted(self._used)) or 'no table'}",
                "Give the program that made the table, and a condition that the row meets",
            )
        parts = [
            every[first:end]
            for each, first, end in zip(
                self._lineage, self._first[:-1], self._first[1:], strict=True
            )
            if each.table in self._used
        ]
        found = smallest(sorted(parts, key=len, reverse=True), fails, lambda rows: rows)
        return tuple(each for each in self._cut(found) if each.records), fails.runs + 1

    def _fails(self, rows: I64) -> bool:
        from pyspark.errors import PySparkException

        try:
            return self._goes_wrong(rows)
        except PySparkException:  # another fault
            return False

    def _goes_wrong(self, rows: I64) -> bool:
        frames = {each.table: self._frame(each) for each in self._cut(rows) if self._is_known(each)}
        tables = _Pinned(self._spark, self._newest.layout, frames, self._errors)
        found = _wrong(self._test, self._program(tables), tables)
        self._used |= tables.used
        wrong = Wrong("true", self._newest.key(self._row))
        return wrong.is_in(found, lambda frame: frame.collect())

    def _is_known(self, table: TableRecords) -> bool:
        return table.table in self._schemas

    def _cut(self, rows: I64) -> Iterator[TableRecords]:
        for each, first in zip(self._lineage, self._first, strict=False):
            some = rows[(rows >= first) & (rows < first + len(each.records))] - first
            yield TableRecords(each.table, tuple(each.records[row] for row in some), (), ())

    def _frame(self, table: TableRecords) -> "DataFrame":
        schema = self._schemas[table.table]
        rows = [tuple(each.values.get(name) for name in schema.names) for each in table.records]
        return self._spark.createDataFrame(rows, schema)


def sql_program(text: str, names: Mapping[str, str] | None = None) -> Program:
    """Return a program that runs a query; ``names`` maps strings in the query to table names."""

    def run(tables: Tables) -> "DataFrame":
        query = text
        for name, table in (names or {}).items():
            query = query.replace(name, f"`{table}`")
        frame = None
        for name in tables:
            if re.search(rf"\b{re.escape(name)}\b", query):
                frame = tables[name]
                frame.createOrReplaceTempView(name)
        if frame is None:
            raise UsageError(
                "The query reads no table of the warehouse",
                f"Its tables are {', '.join(tables) or 'none'}",
                "Name tables as the warehouse does: by the last part of their path",
            )
        return frame.sparkSession.sql(query)

    return run


def python_program(path: Path, function: str) -> Program:
    """Run a Python file and return the named function. Raises UsageError if it is missing."""
    try:
        found = run_path(str(path)).get(function)
    except Exception as error:
        raise UsageError(
            f"The program {path} cannot be loaded",
            f"{type(error).__name__}: {error}",
            "Correct it; provhouse imports it, so it must not start the job on import",
        ) from error
    if not callable(found):
        raise UsageError(
            f"The program {path} has no function {function!r}",
            "The program is called with the tables by name, and returns a frame",
            "Use --program job.py:report",
        )
    program: Program = found
    return program

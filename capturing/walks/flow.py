"""The writes of a captured block, and the associations of their rows as a link for each tap."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.associations import ROWS
from provhouse.model.errors import UsageError

from ..reading.description import CapturedWrite
from ..reading.output import Output
from ..reading.tap_table import TapTable, slot_of_mark
from .cursor_ids import ID, CursorIds, Frame
from .cursor_places import SOURCES, CursorPlace
from .group_links import GroupLink, SourceLink
from .keyed_records import KeyedRecords
from .keyed_rows import KeyedRows, is_whole, placed, task_rows
from .match_links import MatchLink
from .numbers import FileNumbers, NumberedFile
from .raw_records import records
from .tap_links import Slot, TapLink
from .taps import task_files
from .window_links import WindowLink
from .written_links import RowSpan, WrittenLink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class CapturedFlow:
    """The finished writes of a block, in order, and the links between the places of their rows."""

    def __init__(
        self,
        spark: "SparkSession",
        outputs: Sequence[Output],
        kept: object = None,
        rules: Any = None,
    ) -> None:
        """Tap files are not removed while the object ``kept`` exists.

        ``rules`` are the block's rules in the JVM, which replays need.

        Raises UsageError for a write whose rows cannot be traced yet.
        """
        self.spark, self._kept, self.rules = spark, kept, rules
        self.outputs = [*map(placed, outputs)]
        _check(self.outputs)
        self._keyed = KeyedRows(self.outputs)
        self.numbers = FileNumbers(self.outputs, self._keyed)
        self._of = defaultdict[CursorPlace, list[TapLink]](list)
        self._links = list[TapLink]()
        known = set[Path]()
        for at, output in enumerate(self.outputs):
            links = _Links(spark, self.numbers, at, output)
            new = [link for folder, link in links.of_taps() if folder not in known]
            known |= {folder for folder, _ in links.of_taps()}
            for link in (*new, links.of_rows()):
                self._links.append(link)
                self._of[link.of].append(link)

    def files_of(self, table: str) -> dict[CursorPlace, list[NumberedFile]]:
        """Return the files of a table, grouped by the place of their rows.

        Returns the files that the block has written, or, for a table that the block has not
        written, the files that it has read. Raises UsageError if the block has no such files.
        """
        files = [file for file in self.numbers.files if file.table == table]
        found: dict[CursorPlace, list[NumberedFile]] = {}
        for file in [file for file in files if file.write is not None] or files:
            found.setdefault(self.place_of_file(file), []).append(file)
        if not found:
            tables = ", ".join(dict.fromkeys(file.table for file in self.numbers.files))
            raise UsageError(
                f"No finished write of the block has written or read the table {table}",
                f"The tables that it has written or read are: {tables or 'none'}",
                "Trace one of these; a write is finished when its call has returned",
            )
        return found

    def place_of(self, write: int) -> CursorPlace:
        """Return the cursor place for the rows of a write."""
        return written(write, self.outputs[write].write)

    def place_of_file(self, file: NumberedFile) -> CursorPlace:
        """Return the cursor place for the rows of a file."""
        return SOURCES if file.write is None else self.place_of(file.write)

    def rows_of(self, files: Sequence[NumberedFile]) -> CursorIds:
        """Return the ids of all rows of ``files``, which belong to one table."""
        return CursorIds(make=self._every_row(files), files=tuple(file.number for file in files))

    def _every_row(self, files: Sequence[NumberedFile]) -> Frame:
        if all(file.unit != "parquet" and file.rows >= 0 for file in files):
            return lambda: _numbered(self.spark, files)
        rows = self.records(files, None)
        return lambda: rows.selectExpr(f"{ID} AS id")

    def records(self, files: Sequence[NumberedFile], ids: CursorIds | None) -> "DataFrame":
        """Return the records of the rows with ``ids`` in ``files``, with the column ``ID`` added.

        ``files`` belong to one table. This method has the same arguments and errors as
        ``raw_records.records``, but finds the rows of files such as CSV by their keys.
        """
        self._keyed.check_unchanged({file.path for file in files})
        keyed = [file for file in files if file.unit == "keyed"]
        others = [file for file in files if file.unit != "keyed"]
        reader = KeyedRecords(self.spark, self.rules, self._keyed)
        parts = [reader.frame(keyed, ids)] if keyed else []
        parts += [records(self.spark, others, ids)] if others else []
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)

    def back(self, place: CursorPlace) -> Sequence[TapLink]:
        """Return the links that lead from a place back to the sources of its rows."""
        return self._of.get(place, ())

    def forwards(self, place: CursorPlace) -> Iterator[TapLink]:
        """Yield the links that lead from a place to the rows and groups derived from it."""
        for link in self._links:
            if any(place in slot.places for slot in link.slots):
                yield link


def _numbered(spark: "SparkSession", files: Sequence[NumberedFile]) -> "DataFrame":
    """Return the ids of all rows of ``files``. The row counts of these files must be known."""
    parts = (spark.range(file.first_id, file.first_id + file.rows) for file in files)
    return reduce(lambda one, other: one.unionAll(other), parts)


def written(at: int, write: CapturedWrite) -> CursorPlace:
    """Return the cursor place for the rows of a write."""
    return CursorPlace(write=at, name=write.table)


def _check(outputs: Sequence[Output]) -> None:
    """Raise UsageError if the rows of a write or of its sources cannot be numbered."""
    keyed = {path for output in outputs if _has_keys(output) for path in output.write.written}
    whole = {path for output in outputs if is_whole(output) for path in output.write.written}
    for output in outputs:
        if output.write.kept or output.write.ends or output.write.moves:
            raise UsageError(
                f"Rows of {output.write.table} cannot be traced in the session",
                "A DELETE, UPDATE, MERGE or OPTIMIZE of the block has copied or replaced rows",
                "Ask the warehouse (provhouse lineage)",
            )
        for source in output.write.sources:
            if source.path in keyed:
                raise _refusal(output, source.table, "an RDD has read them without their keys")
            if source.deleted:
                raise _refusal(output, source.table, "a deletion vector leaves out some of them")
        for scan in output.write.keyed:
            if not scan.files:
                where = "another database" if scan.place else "the program"
                raise _refusal(output, scan.table, f"they are in {where}")
            if not whole.isdisjoint(scan.files):
                found = "the block has written them in partitions, buckets or several files a task"
                raise _refusal(output, scan.table, found)


def _has_keys(output: Output) -> bool:
    """Return whether the rows of a write are named by keys, rather than as lines or records."""
    return bool(output.write.key) and not output.write.unit


def _refusal(output: Output, table: str, found: str) -> UsageError:
    return UsageError(
        f"Rows of {output.write.table} cannot be traced in the session",
        f"It was made from rows of {table} without numbers: {found}",
        "Ask the warehouse (provhouse lineage), or write the source as Parquet first",
    )


class _Links:
    """The links of one write."""

    def __init__(
        self, spark: "SparkSession", numbers: FileNumbers, at: int, output: Output
    ) -> None:
        self._spark, self._numbers, self._at, self._output = spark, numbers, at, output
        self._write = output.write
        self._shifts = numbers.shifts(self._write)
        read = numbers.writes_read(self._write)
        self._read = tuple(
            SOURCES
            if each is None
            else CursorPlace(write=each, name=numbers.of_write(each)[0].table)
            for each in sorted(read, key=lambda each: -1 if each is None else each)
        )

    def of_rows(self) -> WrittenLink:
        slots = self._slots(self._write.slots, 0)
        place, spans = written(self._at, self._write), tuple(self._spans())
        return WrittenLink(self._spark, place, slots, self._numbers, self._write, spans)

    def of_taps(self) -> Iterator[tuple[Path, TapLink]]:
        for table in self._write.taps:
            if table.of is None:
                yield table.folder, self._of_tap(table)

    def _of_tap(self, table: TapTable) -> TapLink:
        first = 0 if table.source else table.first_slot
        slots, place = self._slots(table.slots, first), _place(table)
        start = (self._spark, place, slots, self._numbers)
        if table.source:
            return SourceLink(*start, table, self._write.sources)
        if table.mark:
            folders = tuple(table.proof(each) for each in range(table.proofs))
            return GroupLink(*start, folders, 1 + len(slots))
        if table.compared:
            return MatchLink(*start, table)
        if table.parts:
            return WindowLink(*start, table)
        columns = table.first_slot + len(slots)
        return GroupLink(*start, (table.folder,), columns)

    def _slots(self, slots: Sequence[int], first: int) -> tuple[Slot, ...]:
        return tuple(self._slot(slot, f"c{first + at}") for at, slot in enumerate(slots))

    def _slot(self, slot: int, column: str) -> Slot:
        if slot == ROWS:
            return Slot(column, self._read, self._shifts)
        tap = slot_of_mark(slot) if slot < ROWS else slot  # slot_of_mark is its own inverse
        return Slot(column, (_place(self._write.taps[tap]),))

    def _spans(self) -> Iterator[RowSpan]:
        names = task_files(self._write.folder / "rows")
        if is_whole(self._output):
            yield from self._spans_of_whole(names)
            return
        seen = Counter[tuple[int, str]]()
        files = self._numbers.of_write(self._at)
        every = zip(files, self._output.tasks, self._output.counts, strict=True)
        for file, (task, place), count in every:
            first = seen[task, place]
            seen[task, place] += count
            if count:
                yield RowSpan(names[task], place, first, first + count, file.first_id)

    def _spans_of_whole(self, names: Mapping[int, str]) -> Iterator[RowSpan]:
        first = self._numbers.first_id(self._at)
        for task, count in task_rows(self._output):
            yield RowSpan(names[task], "", 0, count, first)
            first += count


def _place(table: TapTable) -> CursorPlace:
    if table.mark:
        name = table.mark.table
        return CursorPlace(tap=table.folder.with_name(f"mark {name}"), name=f"mark {name}")
    return CursorPlace(tap=table.folder, name=table.name)

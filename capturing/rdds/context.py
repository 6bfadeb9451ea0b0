"""The context of a captured block. Its RDDs keep track of the source rows of their records."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.associations import ROW_BITS, ROWS
from provhouse.model.errors import UsageError
from provhouse.runtime.spark.pyspark_internals import worker_memory

from .addresses import path_of, root, table_of
from .declared_keys import Key, KeyOf, with_keys
from .entering import Positioned, SourceRows
from .file_context import FileContext
from .file_splits import splits_of
from .merged_tasks import same
from .rdd import LineageRDD
from .stages import Enter, FileScan, Keyed, StageBranch, StagePart
from .task_reports import Reports

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

    from ..jvm_rules import CaptureReports


class LineageContext(FileContext[LineageRDD]):
    """A context that reads files as RDDs and captures their lineage when they are saved.

    The class has the methods of ``SparkContext`` that read files, with the same arguments. If a key
    is declared, it names the rows of a file. Otherwise, rows are named by their positions, as in
    ``log/1099511627781``, where the integer combines the number of the file and the number of the
    line. Methods that make RDDs of other data are refused, since the rows of such RDDs do not have
    names.
    """

    def __init__(
        self,
        context: "SparkContext",
        captured: "CaptureReports",
        folder: Path,
        keys: Mapping[str, Sequence[str]],
        tables: Sequence[str] | None = None,
        functions: Mapping[str, KeyOf] | None = None,
    ) -> None:
        """``captured`` has the rules of the block, and files of taps are written below ``folder``.

        ``keys`` has the key columns of each table. If ``functions`` has an entry for a table, that
        function computes the key of a record; ``keys`` then has a single name for this key, which
        is not a column. ``tables`` names the tables whose writes are captured; None means all.
        """
        super().__init__(context)
        self.folder, self.keys = folder, keys
        self._captured, self._tables = captured, tables
        self._functions = functions or {}
        self.counts: Any = context.accumulator({}, Reports())
        """The number of rows that tasks have read from each part of a source."""
        self._parts = self._groups = 0

    def union(self, rdds: Sequence[LineageRDD]) -> LineageRDD:
        """Return the union of the given RDDs."""
        first, *others = rdds
        for other in others:
            first = first.union(other)
        return first

    def worker_memory(self) -> int:
        """Return how many megabytes of memory a worker may use before it moves groups to files."""
        return worker_memory(self.spark)

    def said(self) -> dict[str, str]:
        """Return the strings that ``saying`` has attached to the writes of the calling thread."""
        names = ("op", "module", "state_tables")
        return {name: self.spark.getLocalProperty(f"provhouse.{name}") or "" for name in names}

    def leaves_out(self, path: str) -> bool:
        """Return whether the table at a path is not captured and is saved without lineage."""
        return self._tables is not None and table_of(Path(path_of(path))) not in self._tables

    def write_folder(self) -> Path:
        """Return the folder of a new write; raise UsageError if the block has ended."""
        if self._captured.ended:
            raise UsageError(
                "An RDD of a block that has ended cannot be saved",
                "The lineage of the block is in the warehouse already",
                "Save it inside of the block",
            )
        return self.folder / str(self._captured.rules.reserve())

    def group_folder(self) -> str:
        """Return a new folder for the association files of an operator."""
        self._groups += 1
        return str(self.folder / "rdds" / str(self._groups))

    def key_of(self, table: str, unit: str) -> Key | None:
        """Return the key that is declared for a table, or None.

        Raises UsageError if the key consists of columns, since records of RDDs do not have columns.
        Only lines of text have a column, ``value``, as in data frames.
        """
        if function := self._functions.get(table):
            (name,) = self.keys[table]
            return Key(name, function)
        columns = self.keys.get(table, ())
        if [*columns] == ["value"] and unit == "lines":
            return Key("value", same)
        if columns:
            raise UsageError(
                f"The key of {table} cannot name the records of an RDD",
                f"It is {', '.join(columns)}, but an RDD has no columns",
                f"Give a function of a record: keys={{{table!r}: lambda line: line.split()[0]}}",
            )
        return None

    def _read(self, rdd: "RDD[Any]", name: str, unit: str) -> LineageRDD:
        parts = self._parts_of(rdd, name, unit)
        keys = {table: self.key_of(table, unit) for table in {part.table for part in parts}}
        if len(keys) > 1 and any(keys.values()):
            raise UsageError(
                f"{name} contains several tables, and only some of them have keys",
                f"They are {', '.join(sorted(keys))}",
                "Read each table separately, and join the RDDs by union",
            )
        first = self._parts
        self._parts += len(parts)
        key = next(iter(keys.values()), None)
        if key is None:
            return self._of(rdd, _rows(first, self.counts), FileScan(tuple(parts)))
        scan = FileScan(tuple(parts), Keyed(key.name, self.group_folder()))
        return self._of(rdd, _keyed_rows(first, self.counts, scan, key.of), scan)

    def _of(self, rdd: "RDD[Any]", enter: Enter, scan: FileScan) -> LineageRDD:
        return LineageRDD(self, (StageBranch(rdd, enter, (ROWS,), (scan,)),))

    def _parts_of(self, rdd: "RDD[Any]", name: str, unit: str) -> list[StagePart]:
        roots = [root(each) for each in name.split(",")]
        states = dict[str, os.stat_result]()
        parts = []
        for number, (path, start) in enumerate(splits_of(rdd, name), self._parts):
            state = states.setdefault(path, os.stat(path))
            above = next((each for each in roots if Path(path).is_relative_to(each)), Path(path))
            parts.append(
                StagePart(number, path, str(above), table_of(above), state.st_size,
                     state.st_mtime_ns // 1_000_000, start, unit)
            )  # fmt: skip
        return parts


def _rows(first: int, counts: Any) -> Enter:
    def enter(split: int, rows: Any) -> Positioned:
        number = first + split
        return SourceRows(number << ROW_BITS, rows, lambda count: counts.add({number: count}))

    return enter


def _keyed_rows(first: int, counts: Any, scan: FileScan, key: KeyOf) -> Enter:
    assert scan.keyed
    folder, enter = scan.keyed.folder, _rows(first, counts)
    paths = list(dict.fromkeys(part.path for part in scan.parts))
    numbers = {path: number for number, path in enumerate(paths)}
    files = [numbers[part.path] for part in scan.parts]

    def enter_keyed(split: int, rows: Any) -> Positioned:
        id_ = first + split << ROW_BITS
        return enter(split, with_keys(rows, key, folder, id_, files[split]))

    return enter_keyed

"""The description of a captured write, as written by the rules in Spark's JVM."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from provhouse.model.associations import COPYING, ENDING, FORM, MATCHING
from provhouse.model.column_map import ColumnMap, column_map
from provhouse.model.errors import BadInput

from .deletion_vector import DeletionVector
from .file_names import EXACT_NAMES, FileNames, Key
from .file_parts import first_positions
from .keyed import KeyedSource
from .renamed import FileState
from .tap_table import KeyColumn, Mark, SourceKey, TapPart, TapTable, slot_of_mark
from .unchanged import check_unchanged


@dataclass(frozen=True)
class SourceFile:
    """A file, or a part of a file, that a captured plan may have read."""

    number: int
    """The number of the file in the ids of its rows. Each write has its own numbers."""
    path: Path
    root: Path
    """The path that the program reads: the file, or a folder above it."""
    table: str
    bytes: int
    changed: int
    """The time of the last change of the file, in milliseconds."""
    first_row: int | None = None
    """The id of the file's first row, or None if the table does not number its rows."""
    commit: int | None = None
    """The version of the Delta table that added the file, or the number of Iceberg's commit."""
    row_ids: str = ""
    """The name of the ids of an Iceberg table's rows, which differs from table to table."""
    first: int = 0
    """The position in the file of the row with index 0 in its id, or -1 if it is unknown.

    If an RDD read the file, each part of the file has its own number, and so its own index 0.
    """
    unit: str = "parquet"
    """The kind of the file's rows: ``parquet``, or ``lines`` or ``records`` in any other file.

    An ingest cannot read the columns of ``lines`` or ``records``, so such a row is named by its
    position.
    """
    lines: str = "every"
    """The lines of a text file that are records: ``every`` line, or each ``filled`` line.

    The value is empty if a record may consist of several lines.
    """
    start: int = 0
    """The offset of the part's start in the file, in bytes."""
    rows: int = -1
    """The number of rows in the part of a file, or -1 if it is unknown."""
    names: FileNames = EXACT_NAMES
    deleted: DeletionVector | None = None
    """The rows that were deleted although the file contains them."""

    @property
    def state(self) -> FileState:
        """The path, size and time of the file when the job read it."""
        return FileState(self.path, self.bytes, self.changed)

    def in_file(self, key: Key) -> Key:
        """Return a key's column names in the file; raise BadInput if a column is unknown."""
        return self.names.of(key, self.table)

    def check_unchanged(self) -> None:
        """Raise BadInput if the file has changed since the job read it."""
        check_unchanged(self.path, self.bytes, self.changed)


@dataclass(frozen=True)
class RemovedFile:
    """A file whose rows, or some of them, a DELETE, UPDATE or MERGE has removed from a table."""

    path: Path
    before: DeletionVector | None
    """The rows that were deleted before."""
    after: DeletionVector | None
    """The rows that are deleted now, or None if all are."""


@dataclass(frozen=True)
class CapturedWrite:
    """One finished write: its files, its sources and its taps."""

    path: Path
    table: str
    folder: Path
    """The folder with the taps' files."""
    slots: tuple[int, ...]
    """The content of each slot in the tap of the rows, coded as in ``TapTable.slots``."""
    taps: tuple[TapTable, ...]
    parts: int
    """The number of strings in the tap of the rows that identify a row's file within its task."""
    format: str
    """The format, such as ``parquet``, ``delta``, ``iceberg``, ``csv`` or ``jdbc``; or ``rdd``."""
    key: tuple[str, ...]
    """The columns of the key that the tap of the rows wrote, or empty if the rows have numbers."""
    replaces: bool
    """Whether this write removes all earlier rows of the table."""
    rows: int
    """The number of rows that Spark counted, or -1 if it is unknown."""
    absence: bool
    """Whether rows may depend on the absence of other rows, as after an outer join."""
    sources: tuple[SourceFile, ...]
    keyed: tuple[KeyedSource, ...]
    """The scans of sources without row numbers."""
    op: str
    """The op of the write's operation, or an empty string if the program does not specify one."""
    module: str
    """The program's module that made the write, or an empty string."""
    state_tables: tuple[str, ...]
    """The tables that the module reads as its state."""
    state: str
    """``finished``, ``failed``, ``replaced``, ``stopped`` by its budget, or ``unknown``.

    The state is ``unknown`` if Spark did not report the end of the write.
    """
    written: tuple[Path, ...]
    """The files that the write made below ``path``."""
    seconds: float
    rewriting: float
    columns: ColumnMap
    tracked: str
    """The column that holds the ids of moved rows in a Delta table; empty without row tracking."""
    first_rows: Mapping[Path, tuple[int, int]]
    """For each file, the version of the Delta table that added it, and the id of its first row."""
    stopped: str
    """The reason why the budget stopped the capture of the write; empty if it did not."""
    header: bool
    """Whether the first line of each CSV file has the names of the columns."""
    most: int
    """The largest number of rows that a file without row numbers may have; 0 means no limit."""
    unit: str
    """For an RDD: whether the rows of its files are ``lines`` or ``records``."""
    counts: tuple[int, ...]
    """For an RDD: the number of rows of each file, or -1 if it is unknown."""
    exact_kinds: bool
    """Whether the kinds of the operations determine exactly when each row exists.

    They do not if a condition, a LIMIT or a rank may read an aggregate, or if a row needs both a
    group and something else. Folders that earlier releases wrote lack this value.
    """
    names: FileNames
    """The names that columns have in the files of the write."""
    ends: bool = False
    """Whether a separate tap has the ids of the rows that were deleted or replaced, not copied."""
    kept: bool = False
    """Whether the tap of the rows also has a column with the original row's id for each copy."""
    removed: tuple[RemovedFile, ...] = ()
    moves: bool = False
    """Whether the write only moved rows to other files; the tap of the rows is then empty."""
    committed: Path | None = None
    """The file that records the write, in Delta's log or among the manifests of Iceberg."""
    places: Mapping[Path, str] = field(default_factory=dict)
    """For each file whose folder does not show the file's partition, a folder that would."""
    commits: int = 1
    """The number of commits since the write began, including those by other programs."""
    logged: bool = False
    """Whether the log of a stream's sink lists the files, each of which has an id of its own."""

    @property
    def landed(self) -> Path:
        """The path of a marker file, which exists if the write has landed."""
        return self.folder / "landed"

    @property
    def by_position(self) -> bool:
        """Whether the rows are named by their positions.

        They are if there is no key and an ingest cannot read the columns of the files.
        """
        return not self.key and self.format not in ("parquet", "delta", "iceberg", "rdd")

    @property
    def number(self) -> int:
        """The position of the write in its block."""
        return int(self.folder.name)

    def stretches_of(self, tap: int) -> int:
        """Return the number of the tap whose groups are stretches of the rows of a tap."""
        return next(number for number, each in enumerate(self.taps) if each.of == tap)


def described(write: Mapping[str, Any], folder: Path) -> CapturedWrite:
    """Return the description of a write; its taps are below ``folder``.

    Raises BadInput for files that are not on this machine, and for an unknown version of the
    format.
    """
    _check_form(write.get("form", 1), folder)
    path, tracking = _local(write["path"]), write.get("tracking") or {}
    exact = write.get("exact_names", True)
    plain, given = FileNames(exact), write.get("source_names", {}).items()
    names = {root: FileNames.given(exact, each) for root, each in given}
    marked = {number for number, tap in enumerate(write["taps"]) if tap["kind"] == "mark"}
    return CapturedWrite(
        path,
        write["table"] or table_of(path),
        folder,
        _slots(write["slots"], marked),
        _taps(write["taps"], folder, marked),
        write["parts"],
        write["format"],
        tuple(write.get("key", ())),
        write.get("replaces", False),
        write.get("rows", -1),
        write["absence"],
        tuple(
            part
            for source in write["sources"]
            for part in _parts(source, names.get(source["root"], plain))
        ),
        tuple(_keyed(source, folder) for source in write["keyed"]),
        write.get("op", ""),
        write.get("module", ""),
        tuple(json.loads(write.get("state_tables") or "[]")),
        write["state"],
        tuple(_local(file) for file in write["written"]),
        write.get("seconds", 0.0),
        write["rewriting"],
        column_map(write.get("columns", {})),
        tracking.get("column", ""),
        {_local(file): (at[0], at[1]) for file, at in tracking.get("files", {}).items()},
        write.get("stopped", ""),
        write.get("header", False),
        write.get("most", 0),
        write.get("unit", ""),
        tuple(write.get("counts", ())),
        write.get("exact_kinds", False),
        FileNames.given(exact, write.get("names", {})),
        write.get("ends", False),
        write.get("kept", False),
        tuple(_removed(write, path)),
        write.get("moves", False),
        _local(write["committed"]) if write.get("committed") else None,
        {_local(file): place for file, place in write.get("places", {}).items()},
        write.get("commits", 1),
        write.get("logged", False),
    )


def _check_form(form: object, folder: Path) -> None:
    if form not in (FORM, COPYING, ENDING, MATCHING):
        raise BadInput(
            f"{folder} was captured by another release of provhouse",
            f"Its format is {form!r}; this release reads {FORM} to {MATCHING}",
            "Ingest it with the release that captured it, then upgrade",
        )


def _removed(write: Mapping[str, Any], table: Path) -> Iterator[RemovedFile]:
    for file in write.get("removed", ()):
        vectors = write["vectors"].get(file, (None, None))
        before, after = (DeletionVector.of(each, table) if each else None for each in vectors)
        yield RemovedFile(_local(file), before, after)


def table_of(path: Path) -> str:
    """Return the name of the table at a path: its last part, without the ending ``.parquet``."""
    return path.name.removesuffix(".parquet") or path.name


def _slots(slots: Iterable[int], marked: Collection[int]) -> tuple[int, ...]:
    return tuple(slot_of_mark(slot) if slot in marked else slot for slot in slots)


def _taps(
    taps: Sequence[Mapping[str, Any]], folder: Path, marked: Collection[int]
) -> tuple[TapTable, ...]:
    """Return the taps, followed by a tap of stretches for each tap with parts of partitions."""
    found = [_tap(tap, folder / str(number), marked) for number, tap in enumerate(taps)]
    stretches = [
        replace(tap, parts=(), of=number) for number, tap in enumerate(found) if tap.is_ordered
    ]
    return (*found, *stretches)


def _tap(tap: Mapping[str, Any], folder: Path, marked: Collection[int]) -> TapTable:
    mark = tap["kind"] == "mark"
    source = tap.get("source")
    return TapTable(
        tap["kind"],
        tap["by"],
        tap["sql"],
        _slots(tap["slots"], marked),
        tap["proofs"],
        tap["exactness"],
        tap["checked"],
        _local(tap["folder"]) if "folder" in tap else folder,
        tuple(TapPart(**part) for part in tap.get("parts", ())),
        tap.get("columns", 0),
        source=_source_key(source) if source else None,
        mark=Mark(tap["table"], tuple(tap["key"]), tap["number"]) if mark else None,
        function=tap.get("function", ""),
        place=tap.get("place", ""),
        compared=tap.get("compared", ""),
        valued=tap.get("valued", False),
    )


def _source_key(source: Mapping[str, Any]) -> SourceKey:
    columns = tuple(KeyColumn(**column) for column in source["columns"])
    return SourceKey(source["slot"], columns, source["hashed"])


def _source(source: Mapping[str, Any], names: FileNames) -> SourceFile:
    path, root = _local(source["path"]), _local(source["root"] or source["path"])
    table = source["table"] or table_of(root)
    state = source["bytes"], source["changed"], source.get("first_row"), source.get("commit")
    ids = source.get("row_ids", "")
    part = source.get("first", 0), source.get("unit", "parquet"), source.get("lines", "every")
    more = source.get("start", 0), source.get("rows", -1)
    vector = source.get("deleted")
    deleted = DeletionVector.of(vector, root) if vector else None
    return SourceFile(
        source["number"], path, root, table, *state, ids, *part, *more, names, deleted
    )


def _parts(source: Mapping[str, Any], names: FileNames) -> Iterator[SourceFile]:
    """Yield the parts into which Spark may have split a file, or only the file itself."""
    found = _source(source, names)
    if "parts" not in source:
        yield found
        return
    parts = range(found.number, found.number + source["parts"]["count"])
    for number, first in first_positions(_local(source["parts"]["tap"]), parts):
        yield replace(found, number=number, first=first + found.first if first >= 0 else -1)


def _keyed(source: Mapping[str, Any], folder: Path) -> KeyedSource:
    folder = _local(source["folder"]) if "folder" in source else folder
    return KeyedSource(
        source["number"],
        source["partitions"],
        source["table"],
        tuple(source["key"]),
        folder / source["tap"],
        tuple(_local(file) for file in source.get("files", ())),
        tuple((size, changed) for size, changed in source.get("states", ())),
        Path(source["place"]) if source.get("place") else None,
        "folder" in source,
        source.get("unit", ""),
        _local(source["root"]) if source.get("root") else None,
    )


def _local(address: str) -> Path:
    parts = urlsplit(address)
    if parts.scheme not in ("", "file"):
        raise BadInput(
            f"The lineage of {address} cannot be ingested",
            "At the end of a block, keys and row numbers can only be read from local files",
            "Capture the job by settings of Spark instead, or write to a local folder",
        )
    return Path(unquote(parts.path))

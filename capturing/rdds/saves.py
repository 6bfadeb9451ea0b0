"""Save an RDD, and describe the write and the sources of its rows for the ingest."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from provhouse.model.associations import FORM, ROWS
from provhouse.model.errors import UsageError
from provhouse.runtime.files import write_over
from provhouse.runtime.spark.pyspark_internals import save_lines

from .addresses import local, table_of
from .branches import Branches
from .declared_keys import KeyOf
from .entering import Tap
from .leaving import written
from .stages import FileScan, Keyed, Leave, Slot, StageGroup, StagePart, taps
from .task_reports import Latest

if TYPE_CHECKING:
    from pyspark import RDD

_FILE = "part-"


def save_text(rdd: Branches, path: str, codec: str | None) -> None:
    """Write records as ``RDD.saveAsTextFile`` does; refuse records with line breaks."""

    save(rdd.streamed(_encoded), path, "lines", lambda parts: save_lines(parts, path, codec))


def _encoded(split: int, records: Iterable[Any]) -> Iterator[bytes]:
    for record in records:
        line = record if isinstance(record, bytes) else str(record).encode("utf-8")
        if b"\n" in line or b"\r" in line:
            raise ValueError(
                "A record with a line break cannot be saved as text with its lineage, since a line"
                f" is a row there: {line[:80]!r}. Remove the line break, or use saveAsPickleFile"
            )
        yield line


def save(rdd: Branches, path: str, unit: str, write: "Callable[[list[RDD[Any]]], None]") -> None:
    """Call ``write`` with one Spark RDD for each branch, and describe the written files.

    Raises UsageError if the path already exists.
    """
    target = Path(os.path.abspath(local(path)))
    _check_new(target)
    context = rdd.context
    key = context.key_of(table_of(target), unit)
    folder = context.write_folder()
    slots, found = taps(rdd.branches, str(folder / "rows"))
    ended: Any = context.spark.accumulator({}, Latest())
    description = {**_described(rdd, target, slots), "key": [key.name] if key else []}
    of = key.of_written(unit) if key else None
    begun = perf_counter()
    try:
        _store(folder, description)
        write([b.left(_written(t, ended, of)) for b, t in zip(rdd.branches, found, strict=True)])
    except BaseException:
        _store(folder, {**description, "state": "failed"})
        raise
    description["seconds"] = perf_counter() - begun
    _store(folder, {**description, **_outcome(rdd, folder, target, unit, ended.value)})


def _written(tap: Tap, ended: Any, key: KeyOf | None) -> Leave:
    def report(found: tuple[int, str, int]) -> None:
        ended.add({found[0]: found[1:]})

    return lambda entering, records: written(entering, records, tap, report, key)


def _check_new(target: Path) -> None:
    if target.exists():
        raise UsageError(
            f"{target} exists already",
            "An RDD can only be saved to a new folder",
            "Remove the folder, or save the RDD to another one",
        )


def _described(rdd: Branches, target: Path, slots: tuple[Slot, ...]) -> dict[str, Any]:
    said = rdd.context.said()
    groups = list(_groups(slots))
    number: dict[Slot, int] = {ROWS: ROWS, **{each: at for at, each in enumerate(groups)}}
    return {
        "form": FORM,
        "path": target.as_uri(),
        "table": table_of(target),
        **said,
        "parts": 0,
        "replaces": True,
        "format": "rdd",
        "slots": [number[each] for each in slots],
        "taps": [_tap(each, number) for each in groups],
        "absence": rdd.absence(),
        "keyed": [],
        "sources": [],
        "columns": {},
        "rewriting": 0.0,
        "written": [],
        "state": "unknown",
    }


def _groups(slots: Iterable[Slot]) -> Iterator[StageGroup]:
    """Yield once each group that slots refer to, directly or through other groups."""
    seen = set[StageGroup]()
    waiting = list(slots)
    while waiting:
        slot = waiting.pop(0)
        if isinstance(slot, StageGroup) and slot not in seen:
            seen.add(slot)
            waiting += slot.slots
            yield slot


def _tap(group: StageGroup, number: dict[Slot, int]) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "by": group.by,
        "sql": group.kind,
        "place": group.place,
        "slots": [number[each] for each in group.slots],
        "proofs": 0,
        "exactness": group.exactness,
        "checked": False,
        "folder": Path(group.folder).as_uri(),
    }


def _outcome(
    rdd: Branches, folder: Path, target: Path, unit: str, ended: dict[int, tuple[str, int]]
) -> dict[str, Any]:
    """Give the association files of successful attempts their names; describe the written files."""
    rows = {}
    for task, (name, count) in ended.items():
        rows[task] = count
        if count:
            (folder / "rows" / name).rename(folder / "rows" / name[1:])
    # Files are listed by task, because association files are read task by task.
    found = (each for each in target.rglob(f"{_FILE}*") if each.is_file())
    files = sorted(found, key=lambda file: (_task_of(file), file))
    return {
        "state": "finished",
        "written": [each.as_uri() for each in files],
        "unit": unit,
        "counts": [rows.get(_task_of(each), -1) for each in files],
        "rows": sum(rows.values()),
        "sources": [
            each
            for scan in rdd.scans()
            if not scan.keyed
            for each in _sources(scan, rdd.context.counts.value)
        ],
        "keyed": [_keyed(scan.parts, scan.keyed) for scan in rdd.scans() if scan.keyed],
    }


def _keyed(parts: Sequence[StagePart], keyed: Keyed) -> dict[str, Any]:
    files = {part.path: [part.bytes, part.changed] for part in parts}
    return {
        "number": parts[0].number,
        "partitions": len(parts),
        "table": parts[0].table,
        "key": [keyed.name],
        "tap": keyed.folder,
        "files": [Path(path).as_uri() for path in files],
        "states": [*files.values()],
        "root": Path(parts[0].root).as_uri(),
        "unit": parts[0].unit,
    }


def _task_of(file: Path) -> int:
    """Return the task number in a file name such as ``part-00000`` or ``part-r-00000``, or -1."""
    digits = [word for word in file.name.split(".")[0].split("-") if word.isdigit()]
    return int(digits[0]) if digits else -1


def _sources(scan: FileScan, counts: dict[int, int | None]) -> Iterator[dict[str, Any]]:
    """Yield the parts of files, each with the position of its first row or, if unknown, -1."""
    first = dict[str, int]()
    for part in sorted(scan.parts, key=lambda each: (each.path, each.start)):
        before = first.get(part.path, 0)
        count = counts.get(part.number)
        # An unknown count makes the positions of all later parts unknown.
        first[part.path] = -1 if count is None or before < 0 else before + count
        yield _source(part, before, -1 if count is None else count)


def _source(part: StagePart, first: int, rows: int) -> dict[str, Any]:
    return {
        "number": part.number,
        "path": Path(part.path).as_uri(),
        "root": Path(part.root).as_uri(),
        "table": part.table,
        "bytes": part.bytes,
        "changed": part.changed,
        "first": first,
        "unit": part.unit,
        "start": part.start,
        "rows": rows,
    }


def _store(folder: Path, description: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_over(folder / "write.json", json.dumps(description).encode())

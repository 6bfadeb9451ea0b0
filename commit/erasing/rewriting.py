"""Replace values in files of Delta tables.

Row numbers and file names stay the same, and so do most file lengths. At every version, a table's
log contains the name and length of each file, and readers rely on both. So a file that becomes
shorter is padded with zeros in front of its footer. If the file becomes longer with every encoding,
the new length is written to the log.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.fault_points import reach
from provhouse.runtime.files import sync_file, sync_folder
from provhouse.store.tables.delta_tables import packed_columns

Change = Callable[[pa.Table, int], pa.Table]
"""A function that returns changed rows, given the rows and the number of the first row."""
_TAIL = 8
"""The size in bytes of the last two fields of a file: its footer length and the magic number."""
_ENCODINGS = (
    (1, True),
    (19, True),
    (19, False),
)
"""The encodings to try, the fastest first.

Each has a compression level, and whether strings are dictionary-encoded.
"""


def rewrite(path: Path, change: Change) -> None:
    """Replace a table's file with a file that has changed rows, atomically for readers.

    Processes that have the old file open can still read it. ``update_lengths`` must be called
    afterwards, even after a crash in between.
    """
    aside = path.with_name(f".{path.name}")  # no commit shows it, even if it is left behind
    size = path.stat().st_size
    for encoding in _ENCODINGS:
        _write(path, aside, change, *encoding)
        if aside.stat().st_size <= size:
            _pad(aside, size)
            break
    else:
        _write(path, aside, change, *_ENCODINGS[0])
    sync_file(aside)
    reach("file rewritten")
    aside.replace(path)
    sync_folder(path.parent)


def _write(path: Path, aside: Path, change: Change, level: int, coded: bool) -> None:
    with pq.ParquetFile(path, page_checksum_verification=True) as old:
        schema = old.schema_arrow.remove_metadata()
        columns = [old.schema.column(n).path for n in range(len(old.schema))]
        numbers = packed_columns(schema)
        coded_columns = [column for column in columns if column not in numbers]
        few = [f.name for f in schema if pa.types.is_integer(f.type) and f.name not in numbers]
        at = 0
        with pq.ParquetWriter(
            aside,
            schema,
            compression="zstd",
            compression_level=level,
            use_dictionary=coded_columns if coded else few,
            column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
            write_statistics=False,
            write_page_checksum=True,
            store_schema=False,
        ) as new:
            for group in range(old.num_row_groups):
                rows = old.read_row_group(group)
                new.write_table(change(rows, at), row_group_size=max(rows.num_rows, 1))
                at += rows.num_rows


def _pad(path: Path, size: int) -> None:
    """Extend a file to a given size, with zeros between its last column and its footer."""
    with path.open("r+b") as file:
        file.seek(-_TAIL, os.SEEK_END)
        footer = int.from_bytes(file.read(4), "little") + _TAIL
        file.seek(-footer, os.SEEK_END)
        at = file.tell()
        end = file.read()
        file.seek(at)
        file.write(bytes(size - at - len(end)) + end)


def update_lengths(folder: Path) -> None:
    """Correct the length of each file in the log of a table, at every version."""
    for name, size in _logged_lengths(folder).items():
        path = folder / name
        if path.exists() and (length := path.stat().st_size) != size:
            _log_length(path, length)


def _logged_lengths(folder: Path) -> dict[str, int]:
    """Return the length of each file that the log names, including files that were merged since."""
    lengths = dict[str, int]()
    for log in sorted((folder / "_delta_log").glob("*.json")):
        for line in log.read_text(encoding="utf-8").splitlines():
            if added := json.loads(line).get("add"):
                lengths[Path(added["path"]).name] = added["size"]
    return lengths


def _log_length(path: Path, length: int) -> None:
    """Set the length of a file in a table's log, and remove the log's redundant checkpoints."""
    logs = path.parent / "_delta_log"
    # Remove the hint first: a reader that finds the hint fails if the checkpoint is missing.
    (logs / "_last_checkpoint").unlink(missing_ok=True)
    sync_folder(logs)
    reach("hint removed")
    for checkpoint in logs.glob("*.checkpoint*"):
        checkpoint.unlink()
        reach("checkpoint removed")
    for log in sorted(logs.glob("*.json")):
        _set_length(log, path.name, length)
    sync_folder(logs)


def _set_length(log: Path, name: str, length: int) -> None:
    """Set the length of a file in one version of the log; change nothing if it is correct."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    entries = [
        entry
        for line in lines
        for kind in ("add", "remove")
        if (entry := line.get(kind)) and Path(entry["path"]).name == name
    ]
    if any(entry.get("size", length) != length for entry in entries):
        for entry in entries:
            entry["size"] = length
        aside = log.with_name(f".{log.name}.new")
        aside.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        sync_file(aside)
        aside.replace(log)

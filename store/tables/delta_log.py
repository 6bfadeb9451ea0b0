"""The log of a registered table: its newest version, and how the next version is published.

The ``commitInfo`` of each log entry lists all files of the version, so that a reader opens one
entry and needs no checkpoint. Programs that read Delta tables find the same files in the actions.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa

from provhouse.model.errors import Damaged
from provhouse.runtime.files import write_new
from provhouse.runtime.packages import Deferred
from provhouse.runtime.storage import FileMark, file_mark

from ..warehouse.layout import SHARED
from .delta_tables import CONFIGURATION

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


LOG = "_delta_log"


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table. Its name begins with its ``number`` and its ``version``."""

    path: Path
    rows: int
    bytes: int

    @property
    def number(self) -> int:
        """The version with which the last rows of the file were added.

        The files are ordered by this version.
        """
        return int(self.path.name.split("-")[0])

    @property
    def version(self) -> int:
        """The version for which the file was written."""
        return int(self.path.name.split("-")[1])


@dataclass(frozen=True)
class TableState:
    """A version of a table, -1 if the table is missing, and its files in order."""

    version: int
    mark: FileMark
    """A value that identifies the log entry. It changes if the folder is deleted and made again."""
    files: tuple[DataFile, ...]


_states: dict[Path, TableState] = {}
_lock = Lock()


def newest_state(folder: Path, title: str) -> TableState | None:
    """Return the newest version of a table, or None if the table is missing.

    Raises Damaged if the log entry of this version cannot be read.
    """
    with _lock:
        known = _states.get(folder)
    if known and file_mark(_entry(folder, known.version)) != known.mark:
        known = None
    version = known.version if known else _newest(folder)
    while _entry(folder, version + 1).exists():
        version, known = version + 1, None
    if known is None and version >= 0:
        known = _opened(folder, title, version)
        with _lock:
            _states[folder] = known
    return known


def publish(
    folder: Path,
    schema: pa.Schema,
    version: int,
    removed: Sequence[DataFile],
    added: Sequence[DataFile],
    files: Sequence[DataFile],
    before: Callable[[], None],
) -> bool:
    """Write the log entry of a version whose data are already on disk.

    ``files`` are all files of the version, including the added files and excluding the removed
    files. ``before`` is called just before the entry appears. Returns False if the version exists
    already.
    """
    now = int(time.time() * 1000)
    entry = [] if version else _creation(schema, now)
    entry += [{"remove": _logged(file, deletionTimestamp=now)} for file in removed]
    entry += [{"add": _added(file, now)} for file in added]
    listed = [[file.path.name, file.rows, file.bytes] for file in files]
    info = {"timestamp": now, "operation": "WRITE", "files": listed}
    entry.append({"commitInfo": info})  # last, so that an entry that was cut off lacks it
    content = "".join(f"{json.dumps(action)}\n" for action in entry).encode()
    return write_new(_entry(folder, version), content, mode=SHARED, before=before)


def damaged(path: Path, title: str, error: Exception) -> Damaged:
    """Return the error for a file or a log entry of a registered table that cannot be read."""
    known = isinstance(error, (OSError, pa.ArrowException)) and str(error)
    found = str(error).splitlines()[0] if known else repr(error)
    folder = path.parent.parent if path.parent.name == LOG else path.parent
    return Damaged(
        f"Cannot read the {title} {path}",
        f"Reading it fails: {found}",
        f"Restore the folder {folder} from a backup",
    )


def _entry(folder: Path, version: int) -> Path:
    return folder / LOG / f"{version:020d}.json"


def _newest(folder: Path) -> int:
    """Return the newest version in the log of a folder, or -1."""
    return max((int(entry.stem) for entry in (folder / LOG).glob("[0-9]*.json")), default=-1)


def _opened(folder: Path, title: str, version: int) -> TableState:
    path = _entry(folder, version)
    mark = file_mark(path)
    try:
        info = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])["commitInfo"]
        files = tuple(DataFile(folder / name, rows, size) for name, rows, size in info["files"])
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise damaged(path, title, error) from error
    return TableState(version, mark, files)


def _creation(schema: pa.Schema, now: int) -> list[dict[str, Any]]:
    return [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": str(uuid4()),
                "format": {"provider": "parquet", "options": {}},
                "schemaString": deltalake.Schema.from_arrow(schema).to_json(),
                "partitionColumns": [],
                "configuration": CONFIGURATION,
                "createdTime": now,
            }
        },
    ]


def _logged(file: DataFile, **more: object) -> dict[str, Any]:
    return {"path": file.path.name, "size": file.bytes, "dataChange": True, **more}


def _added(file: DataFile, now: int) -> dict[str, Any]:
    stats = json.dumps({"numRecords": file.rows})
    return _logged(file, partitionValues={}, modificationTime=now, stats=stats)

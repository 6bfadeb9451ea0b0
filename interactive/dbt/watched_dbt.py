"""Run dbt, record which database it opens, and copy the database's state before the run.

dbt's own Python interpreter runs this file as a script, so it imports nothing of provhouse. Neither
the project nor dbt's behavior is changed.
"""

import fcntl
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

FOLDER = "PROVHOUSE_DBT_FOLDER"
"""The environment variable that names the folder for the note and the copy."""
NOTE = "note.json"
BEFORE = "before.duckdb"
REFUSED = 70
"""The exit status for a project with an unsupported adapter: dbt is ended before it runs."""
NEEDING = ("incremental", "snapshot")
"""The materializations that read the state before the run."""
_CLONE = 0x40049409  # FICLONE: the copy shares the blocks of the original until either changes


def _note(folder: Path, config: Any) -> None:
    credentials = config.credentials
    found = {
        "adapter": credentials.type,
        "method": str(getattr(credentials, "method", "")),
        "target": _absolute(str(config.project_target_path)),
    }
    if credentials.type == "duckdb":
        attached = [dict(vars(each)) for each in credentials.attach or ()]
        for each in attached:
            each["path"] = _absolute(str(each.get("path")))
        loaded = credentials.extensions or ()
        found |= {
            "path": _absolute(credentials.path),
            "database": credentials.database,
            "schema": credentials.schema,
            "settings": credentials.settings or {},
            "extensions": [each for each in loaded if isinstance(each, str)],
            "attached": [{k: each.get(k) for k in ("path", "alias", "type")} for each in attached],
        }
    (folder / NOTE).write_text(json.dumps(found, default=str), encoding="utf-8")


def _absolute(path: str) -> str:
    """Return a path as an absolute path; return a string with a colon, such as a URL, unchanged."""
    return path if ":" in path else os.path.abspath(path)


def _is_needed(target: Path) -> bool:
    """Return whether a model of the project reads the state before the run."""
    try:
        nodes = json.loads((target / "manifest.json").read_text(encoding="utf-8"))["nodes"]
    except (OSError, ValueError, KeyError):
        return True
    return any(each["config"].get("materialized") in NEEDING for each in nodes.values())


def _copy(path: Path, to: Path) -> None:
    """Copy a database and its log. If the file system allows it, the copy shares disk blocks."""
    for source, copy in ((path, to), (Path(f"{path}.wal"), Path(f"{to}.wal"))):
        if not source.is_file():
            continue
        with source.open("rb") as read, copy.open("wb") as written:
            try:
                fcntl.ioctl(written.fileno(), _CLONE, read.fileno())
            except OSError:
                shutil.copyfileobj(read, written, 1 << 24)


def _watch(folder: Path) -> None:
    from dbt.adapters.factory import AdapterContainer  # type: ignore[import-not-found]

    register = AdapterContainer.register_adapter

    def registered(self: Any, config: Any, *rest: Any) -> None:
        _note(folder, config)
        if config.credentials.type != "duckdb":
            os._exit(REFUSED)  # dbt would report any exception as its own
        register(self, config, *rest)
        _watch_opening(folder, Path(config.project_target_path))

    AdapterContainer.register_adapter = registered


def _watch_opening(folder: Path, target: Path) -> None:
    from dbt.adapters.duckdb import environments  # type: ignore[import-not-found]

    create, opened = environments.create, list[Any]()

    def created(credentials: Any) -> Any:
        path = Path(credentials.path)
        if not opened and path.is_file() and _is_needed(target):
            _copy(path, folder / BEFORE)
        opened.append(credentials)
        return create(credentials)

    environments.create = created


if __name__ == "__main__":
    sys.path.pop(0)  # this folder: dbt imports each module whose name begins with dbt_
    _watch(Path(os.environ.pop(FOLDER)))
    from dbt.cli.main import cli  # type: ignore[import-not-found]

    sys.argv[0] = "dbt"
    sys.exit(cli())

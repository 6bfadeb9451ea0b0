"""Run the user's dbt as a child process, and collect the run's files."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from provhouse.model.errors import Unavailable, UsageError

from . import watched_dbt

COMMANDS = ("build", "run", "test", "seed", "snapshot")
"""The supported dbt commands. Other commands do not build any tables."""
REFUSED_OPTIONS = ("--defer", "--no-write-json", "--no-defer-state")
IN_MEMORY = ":memory:"


@dataclass(frozen=True)
class DbtRun:
    """One dbt run on a DuckDB database."""

    status: int
    target: Path
    """The folder with the manifest and the results of the run."""
    database: str
    """The name of the database in compiled SQL."""
    path: Path
    before: Path | None
    """A copy of the database from before the run; None if nothing existed or no model reads it."""
    settings: Mapping[str, Any]
    extensions: tuple[str, ...]
    attached: tuple[Mapping[str, Any], ...]
    command: str


def run_dbt(arguments: Sequence[str], executable: str, folder: Path) -> DbtRun | int:
    """Run dbt with the given arguments in the current folder; ``folder`` is for notes on the run.

    Returns only the exit status if dbt ended before it ran a model. Raises UsageError for
    unsupported commands, options, adapters and databases, and Unavailable if dbt is not installed.
    """
    _check(arguments)
    script = Path(watched_dbt.__file__)
    environment = {**os.environ, watched_dbt.FOLDER: str(folder)}
    command = [_python(executable), str(script), *arguments]
    began = time.time()
    process = subprocess.Popen(command, env=environment)
    try:
        status = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    status = status if status >= 0 else 128 - status
    found = _run(status, folder, arguments)
    results = found.target / "run_results.json" if found else None
    written = results.stat().st_mtime if results and results.exists() else 0
    return found if found and written >= began else status


def _check(arguments: Sequence[str]) -> None:
    named = [each for each in arguments if each in COMMANDS]
    if not named:
        raise UsageError(
            f"`provhouse dbt {' '.join(arguments)}` builds no model",
            f"The commands with lineage are {', '.join(COMMANDS)}",
            "Run other commands by dbt itself",
        )
    for each in REFUSED_OPTIONS:
        if each in arguments:
            raise UsageError(
                f"Lineage of a run with {each} is not supported",
                "The models would read tables or files of another run",
                "Leave it out, or run dbt itself",
            )


def _python(executable: str) -> str:
    """Return the Python interpreter that the dbt script names in its first lines."""
    beside = str(Path(sys.executable).parent)  # the extra dbt, in an environment that is not active
    found = shutil.which(executable, path=f"{os.environ.get('PATH', '')}{os.pathsep}{beside}")
    if found is None:
        raise Unavailable(
            f"There is no program {executable}",
            "provhouse runs the dbt of your project",
            "Run `pip install 'provhouse[dbt]'`, activate the environment of your dbt, or name it "
            "with --dbt FILE",
        )
    with open(found, "rb") as script:
        lines = script.read(4096).splitlines()[:3]
    if lines and lines[0].startswith(b"#!"):
        words = lines[0][2:].decode(errors="replace").split()
        if words and words[0].endswith("/sh") and lines[1:]:  # a path that is too long for a line
            words = lines[1].decode(errors="replace").removeprefix("'''exec'").split('"')[1:2]
        if words and words[0].endswith("/env") and words[1:]:
            words = [shutil.which(words[1]) or ""]
        if words and "python" in Path(words[0]).name:
            return words[0]
    raise Unavailable(
        f"{found} is not dbt Core",
        "dbt Core is a Python script, and this file is not",
        "Run `pip install 'provhouse[dbt]'`, or name the dbt of dbt-core with --dbt FILE",
    )


def _run(status: int, folder: Path, arguments: Sequence[str]) -> DbtRun | None:
    """Return the run that the dbt process recorded, or None if dbt did not read a profile."""
    try:
        note = json.loads((folder / watched_dbt.NOTE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    check_adapter(note["adapter"])
    path = Path(note["path"])
    if str(path) == IN_MEMORY or not path.is_file():
        raise UsageError(
            f"The database {note['path']} is not a file",
            "provhouse reads the database file after the run",
            "Set `path` in the profile to a DuckDB file",
        )
    before = folder / watched_dbt.BEFORE
    return DbtRun(
        status,
        Path(note["target"]),
        note["database"],
        path,
        before if before.exists() else None,
        note["settings"],
        tuple(note["extensions"]),
        tuple(note["attached"]),
        " ".join(arguments),
    )


def check_adapter(adapter: str) -> None:
    """Raise UsageError for any adapter other than dbt-duckdb; the message states what works."""
    if adapter == "duckdb":
        return
    if adapter == "spark":
        raise UsageError(
            "`provhouse dbt` does not support dbt-spark",
            "Its rows are in Spark, where capture is set up in the Spark configuration",
            "With `method: session`, set PYSPARK_SUBMIT_ARGS to the options that `provhouse "
            "run-spark --print-conf` prints and `pyspark-shell`, run dbt itself, then `provhouse "
            "ingest --captured`",
        )
    raise UsageError(
        f"The lineage of rows is not supported for dbt-{adapter}",
        "Only DuckDB is supported, since provhouse runs the compiled SQL again",
        "For lineage of tables, use `provhouse ingest target/manifest.json --input dbt`, or "
        "`provhouse ingest --openlineage` for events; `provhouse compare` takes compiled queries "
        "that DuckDB can parse",
    )

"""Run the user's dbt as a child process, and read what the run has left behind."""

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
"""The commands of dbt that are run. Others build nothing."""
REFUSED_OPTIONS = ("--defer", "--no-write-json", "--no-defer-state")
IN_MEMORY = ":memory:"


@dataclass(frozen=True)
class Run:
    """One run of dbt on a database of DuckDB."""

    status: int
    target: Path
    """The folder with the manifest and the results of the run."""
    database: str
    """The name of the database in compiled SQL."""
    path: Path
    before: Path | None
    """A copy of the database before the run, if there was one and a model reads it."""
    settings: Mapping[str, Any]
    extensions: tuple[str, ...]
    attached: tuple[Mapping[str, Any], ...]
    command: str


def run_dbt(arguments: Sequence[str], executable: str, folder: Path) -> Run | int:
    """Run dbt with these arguments in the current folder, and note its database in ``folder``.

    Returns only its exit status if it ended before it ran a model. Raises UsageError for what is
    not supported, and Unavailable if there is no dbt.
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
                "The tables or the files that the models read would be those of another run",
                "Leave it out, or run dbt itself",
            )


def _python(executable: str) -> str:
    """Return the Python that a script of dbt names in its first lines."""
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
        "It is no script of Python, as dbt Core is",
        "Run `pip install 'provhouse[dbt]'`, or name the dbt of dbt-core with --dbt FILE",
    )


def _run(status: int, folder: Path, arguments: Sequence[str]) -> Run | None:
    """Return the run that dbt's process has noted, or None if it read no profile."""
    try:
        note = json.loads((folder / watched_dbt.NOTE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    check_adapter(note["adapter"])
    path = Path(note["path"])
    if str(path) == IN_MEMORY or not path.is_file():
        raise UsageError(
            f"The database {note['path']} is not a file",
            "Lineage is found in the file after the run",
            "Set `path` in the profile to a file of DuckDB",
        )
    before = folder / watched_dbt.BEFORE
    return Run(
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
    """Raise UsageError for another adapter than dbt-duckdb, with what works there."""
    if adapter == "duckdb":
        return
    if adapter == "spark":
        raise UsageError(
            "Rows of dbt-spark are not followed by `provhouse dbt`",
            "They are in Spark, and capture in Spark is a matter of its configuration",
            "Give the session of dbt-spark (method: session) the options that `provhouse "
            "run-spark --print-conf` prints; this is untried",
        )
    raise UsageError(
        f"Rows of dbt-{adapter} are not followed",
        "Only databases of DuckDB are, since provhouse runs the compiled SQL again",
        "With this adapter, `provhouse compare` compares compiled queries that DuckDB reads too",
    )

"""Run a Python script whose Spark sessions are captured by their configuration."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from provhouse.runtime.java import java

from .jar import jar

PATIENCE = 10
"""The number of seconds within which a script must end after an interruption."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a script."""

    status: int
    """The exit status, or 128 plus the signal's number if a signal has ended the script."""
    folders: tuple[Path, ...]
    """The folder of each captured application.

    The folder exists only if the application wrote a table.
    """


def run_script(script: Path, arguments: Sequence[str], settings: Mapping[str, str]) -> Ran:
    """Run a script with this Python, and apply ``settings`` to each session that it starts."""
    with TemporaryDirectory(prefix="provhouse-script-") as temporary:
        folders = Path(temporary) / "folders"
        environment = _environment({**settings, "spark.provhouse.folders": str(folders)})
        process = subprocess.Popen([sys.executable, script, *arguments], env=environment)
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        lines = folders.read_text(encoding="utf-8").splitlines() if folders.exists() else []
    return Ran(status if status >= 0 else 128 - status, tuple(map(Path, lines)))


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a script; existing variables stay and take precedence.

    Our jar is added to the class path by an environment variable, since options of Spark would
    replace the jars that the script specifies.
    """
    ours = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    before = os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    paths = filter(None, (os.environ.get("SPARK_DIST_CLASSPATH"), str(jar())))
    return {
        "JAVA_HOME": str(java().parent.parent),
        **os.environ,
        "PYSPARK_SUBMIT_ARGS": f"{shlex.join(ours)} {before}",
        "SPARK_DIST_CLASSPATH": ":".join(paths),
    }


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()

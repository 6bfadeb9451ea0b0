"""Find the Java runtime that Spark and Neo4j run on."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from provhouse.model.errors import Unavailable

# The maintained releases that run both Spark 4.2 and Neo4j 5.26.
RELEASES = (17, 21)
# Spark starts Java with --add-modules for this module; runtimes trimmed by jlink often lack it.
MODULE = "jdk.incubator.vector"
WANTED = f"Spark and Neo4j need a Java {' or '.join(map(str, RELEASES))} runtime"
REMEDY = (
    "Install one (Debian: apt install openjdk-17-jre-headless, or openjdk-21-jre-headless), "
    "or set JAVA_HOME to the folder of one"
)


@dataclass(frozen=True)
class _Runtime:
    release: int | None
    version: str
    modules: frozenset[str]

    def fault(self) -> str:
        """Return the reason why this runtime cannot be used, or an empty string if it can."""
        if self.release not in RELEASES:
            return f"is Java {self.version}" if self.version else "does not start"
        if MODULE not in self.modules:
            return f"is Java {self.version} without its module {MODULE} (a trimmed runtime)"
        return ""


def java() -> Path:
    """Return the ``java`` executable that starts Spark and Neo4j.

    Search in JAVA_HOME if it is set, otherwise in PATH and then among Debian's alternatives.
    Resolve symbolic links, so that the folder above ``bin`` is the runtime's home. Raises
    Unavailable if no runtime can be used; the error lists each runtime that was found, with the
    reason.
    """
    faults: dict[Path, str] = {}
    for executable in _candidates():
        faults[executable] = _runtime(executable).fault()
        if not faults[executable]:
            return executable
    found = "; ".join(f"{executable} {fault}" for executable, fault in faults.items())
    raise Unavailable(
        WANTED, found or "No java was found on PATH, and JAVA_HOME is not set", REMEDY
    )


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        executable = Path(home) / "bin" / "java"
        if not os.access(executable, os.X_OK):
            raise Unavailable(WANTED, f"JAVA_HOME is {home}, which contains no bin/java", REMEDY)
        yield executable.resolve()
        return
    if first := shutil.which("java"):
        yield Path(first).resolve()
    yield from _alternatives()


def _alternatives() -> Iterator[Path]:
    """Yield all Java runtimes that Debian's ``update-alternatives`` lists.

    A listed runtime may be suitable although the ``java`` on PATH is too new.
    """
    if tool := shutil.which("update-alternatives"):
        listed = subprocess.run([tool, "--list", "java"], capture_output=True, text=True)
        yield from (Path(line).resolve() for line in listed.stdout.splitlines())


@cache
def _runtime(executable: Path) -> _Runtime:
    """Return the runtime's version and modules, from the output of ``--list-modules``."""
    try:
        answer = subprocess.run(
            [executable, "--list-modules"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return _Runtime(None, "", frozenset())
    modules = dict(line.partition("@")[::2] for line in answer.stdout.split())
    version = modules.get("java.base") or _old_version(executable)
    number = re.match(r"\d+", version)
    return _Runtime(int(number[0]) if number else None, version, frozenset(modules))


def _old_version(executable: Path) -> str:
    """Return the version of Java 8, which has no modules and prints its version in quotes."""
    answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=60)
    quoted = re.search(r'version "([^"]+)"', answer.stderr)
    return quoted[1] if quoted else ""

"""The Java runtime that Spark and Neo4j run on."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from provhouse.model.errors import Unavailable

# Spark 4.2 and Neo4j 5.26 both run on these, and on no other release that is kept up.
RELEASES = (17, 21)
# Spark starts with --add-modules of this one; a runtime trimmed by jlink often lacks it.
MODULE = "jdk.incubator.vector"
WANTED = f"A Java {' or '.join(map(str, RELEASES))} runtime is needed for Spark and Neo4j"
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
        """What is wrong with this runtime; empty if nothing is."""
        if self.release not in RELEASES:
            return f"is Java {self.version}" if self.version else "does not start"
        if MODULE not in self.modules:
            return f"is Java {self.version} without its module {MODULE} (a trimmed runtime)"
        return ""


def java() -> Path:
    """The ``java`` executable to start Spark and Neo4j with.

    JAVA_HOME decides where it is set; else PATH, then the runtimes that Debian's alternatives list.
    Links are followed, so that the folder above ``bin`` is the runtime's home.
    Raises Unavailable, saying which runtimes were found and why they do not serve.
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
            raise Unavailable(WANTED, f"JAVA_HOME is {home}, which holds no bin/java", REMEDY)
        yield executable.resolve()
        return
    if first := shutil.which("java"):
        yield Path(first).resolve()
    yield from _alternatives()


def _alternatives() -> Iterator[Path]:
    """On Debian a newer Java may stand first on PATH while an older one is installed too."""
    if tool := shutil.which("update-alternatives"):
        listed = subprocess.run([tool, "--list", "java"], capture_output=True, text=True)
        yield from (Path(line).resolve() for line in listed.stdout.splitlines())


@cache
def _runtime(executable: Path) -> _Runtime:
    """What the runtime says of itself; one call tells version and modules."""
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
    """Java 8 knows no modules; what it calls itself stands in quotes."""
    answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=60)
    quoted = re.search(r'version "([^"]+)"', answer.stderr)
    return quoted[1] if quoted else ""

"""Record and use class archives, which halve the start time of Neo4j and Spark.

An archive is an image of the classes that a program loads at its start (Java's class data sharing,
JEP 350). Java maps this file instead of reading, checking and linking about ten thousand classes.
An archive fits only one version of Java and one class path. Java itself checks both, and ignores an
archive that does not fit.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from .jars import cache_folder, jar_folder
from .java import java

Program = Literal["neo4j", "spark"]
PROGRAMS: tuple[Program, ...] = ("neo4j", "spark")


class _Recording:
    """The archives being recorded; each program writes its archive when it ends.

    One object serves the whole process because the code that starts Java is many calls below the
    code that records an archive, and the code in between does not need to handle archives.
    """

    def __init__(self) -> None:
        self.files: dict[Program, Path] = {}


_recording = _Recording()


def options(program: Program) -> list[str]:
    """Return the options with which Java uses or records the program's archive, if any."""
    if program in _recording.files:
        return [f"-XX:ArchiveClassesAtExit={_recording.files[program]}"]
    if not has_archive(program):
        return []
    return [f"-XX:SharedArchiveFile={_file(program)}", "-Xshare:auto", "-Xlog:disable"]


def has_archive(program: Program) -> bool:
    """Return whether the program has an archive for the Java of this machine."""
    return _file(program).exists()


@contextmanager
def recording(program: Program) -> Iterator[None]:
    """Record an archive of a program that the block starts, uses and ends normally.

    If the archive cannot be written, this is not an error: the program only starts more slowly.
    """
    file = _file(program)
    aside = file.with_name(f".{os.getpid()}-{file.name}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
    _recording.files[program] = aside
    try:
        yield
    finally:
        del _recording.files[program]
        with suppress(OSError):
            aside.replace(file)


def _file(program: Program) -> Path:
    """Return the path of an archive.

    Neo4j's archive is in provhouse's cache, and Spark's archive is in the folder of PySpark's jars.
    """
    executable = java()
    key = sha256(f"{executable} {executable.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    if program == "neo4j":
        return cache_folder() / "classes" / f"{jar_folder('neo4j').name}-{key}.jsa"
    found = find_spec("pyspark")
    assert found, "pyspark is installed with us"
    return Path(str(found.origin)).parent / "jars" / f"provhouse-{key}.jsa"

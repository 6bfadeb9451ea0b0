"""Archives of classes: what Java loads when a program starts, kept as it lies in memory.

A start then maps a file instead of reading, checking and linking some ten thousand classes, which
takes half of its time (Java's class data sharing, JEP 350). An archive fits one Java and one class
path; Java itself sees whether it does, and starts without it if not.
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
    """The archives that Java writes when the programs that this process starts now end.

    One a process: the code that builds a Java command is far below the code that asks for an
    archive, and everything that starts Java in between takes its options from here.
    """

    def __init__(self) -> None:
        self.files: dict[Program, Path] = {}


_recording = _Recording()


def options(program: Program) -> list[str]:
    """What Java has to be told so that it uses the program's archive; nothing if there is none."""
    if program in _recording.files:
        return [f"-XX:ArchiveClassesAtExit={_recording.files[program]}"]
    if not has_archive(program):
        return []
    return [f"-XX:SharedArchiveFile={_file(program)}", "-Xshare:auto", "-Xlog:disable"]


def has_archive(program: Program) -> bool:
    """Whether there is one for this Java."""
    return _file(program).exists()


@contextmanager
def recording(program: Program) -> Iterator[None]:
    """A block in which the program is started and used, and ends by itself.

    Where an archive cannot be written there will be none; nothing depends on one.
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
    """Beside the jars; Spark's in the Python environment whose jars it is made of."""
    executable = java()
    key = sha256(f"{executable} {executable.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    if program == "neo4j":
        return cache_folder() / "classes" / f"{jar_folder('neo4j').name}-{key}.jsa"
    found = find_spec("pyspark")
    assert found, "pyspark is installed with us"
    return Path(str(found.origin)).parent / "jars" / f"provhouse-{key}.jsa"

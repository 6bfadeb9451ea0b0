"""The one table of input formats: what each is called, how its files end, and who reads it.

A new format is a module here with the functions of ``FormatModule``, and a row in ``FORMATS``. The
modules are imported with their first file, so that the command line can name the formats at once.

A file that is not what it claims to be raises BadInput with its name and line or row group. A
reader never decides about single rows: the step that stages them does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from .source import Batch, Source


class FormatModule(Protocol):
    """What the module of a format has."""

    def check(self, source: "Source") -> list[str]:
        """The columns; raises BadInput if the beginning of the file shows that it is unusable."""

    def batches(self, source: "Source", report: Callable[[int], None]) -> Iterator["Batch"]:
        """The rows, a batch at a time; ``report`` hears how many bytes of the file are behind."""


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    module: str
    """The module of this package that reads it."""
    endings: tuple[str, ...] = ()
    """How its files end; without any they are not found by their names."""
    compressible: bool = False
    """Whether its files may be compressed as a whole, with a further ending."""

    def load(self) -> FormatModule:
        """Return the module that reads it."""
        return cast(FormatModule, import_module(f".{self.module}", __package__))


FORMATS = {
    each.name: each
    for each in (
        Format("csv", "csv", (".csv",), compressible=True),
        Format("jsonl", "json_lines", (".jsonl", ".ndjson"), compressible=True),
        Format("parquet", "parquet", (".parquet",)),
        Format("export", "exported"),
    )
}
CHOICES = tuple(each.name for each in FORMATS.values() if each.endings)
"""The formats that a person can name."""
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
"""Endings behind those of text formats, and the name of the codec."""


def check(source: "Source") -> list[str]:
    """The columns of a file, of JSON lines those that its beginning has.

    Raises BadInput if the beginning of the file shows that it can't be taken in.
    """
    return FORMATS[source.format].load().check(source)


def batches(source: "Source", report: Callable[[int], None] = lambda _: None) -> Iterator["Batch"]:
    """The rows of a file, a batch at a time; raises BadInput, naming file and place.

    ``report`` hears how many bytes of the file are behind.
    """
    return FORMATS[source.format].load().batches(source, report)


def format_of(path: Path) -> str:
    """The format that a name tells, or nothing."""
    name = path.name.lower()
    plain = name
    for ending in COMPRESSED:
        plain = plain.removesuffix(ending)
    for each in FORMATS.values():
        if plain.endswith(each.endings) and (each.compressible or plain == name):
            return each.name
    return ""


def codec_of(path: str) -> str | None:
    """How a text file is compressed, by its name."""
    name = path.lower()
    return next((codec for ending, codec in COMPRESSED.items() if name.endswith(ending)), None)


def all_endings() -> str:
    """Return the endings of all formats, as part of a sentence."""
    plain = [ending for each in FORMATS.values() for ending in each.endings]
    return f"{', '.join(plain)}, the texts also with {' or '.join(COMPRESSED)}"

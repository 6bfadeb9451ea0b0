"""List the input formats, and read each file with the module of its format.

To add a format, write a module here with the functions of ``FormatModule`` and add a line to
``FORMATS``. A module is imported when the first file of its format is read, so that the command
line can list the formats without delay.

Reading a file that is not valid in its format raises BadInput with its name and the line or row
group. Format modules do not reject single rows: the task that stages a file does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from .source import Batch, Source


class FormatModule(Protocol):
    """The functions that the module of each format has."""

    def check(self, source: "Source") -> list[str]:
        """Return the column names; raise BadInput if the beginning of the file is unusable."""

    def batches(self, source: "Source", report: Callable[[int], None]) -> Iterator["Batch"]:
        """Yield the rows in batches; call ``report`` with the number of bytes read so far."""


@dataclass(frozen=True)
class Format:
    """An input format: its name, its module, and the endings of its files."""

    name: str
    module: str
    """The name of the module in this folder that reads files of the format."""
    endings: tuple[str, ...] = ()
    """The endings of its file names; a format without endings is never recognised by name."""
    compressible: bool = False
    """Whether its files are plain text and may be compressed as a whole, like ``x.csv.gz``."""
    packed: bool = False
    """Whether its files are compressed inside, like Parquet files."""

    def load(self) -> FormatModule:
        """Import and return the module that reads files of the format."""
        return cast(FormatModule, import_module(f".{self.module}", __package__))


FORMATS = {
    each.name: each
    for each in (
        Format("csv", "csv", (".csv",), compressible=True),
        Format("tsv", "csv", (".tsv",), compressible=True),
        Format("jsonl", "json_lines", (".jsonl", ".ndjson"), compressible=True),
        Format("parquet", "parquet", (".parquet",), packed=True),
        Format("export", "exported", packed=True),
        Format("arrow", "arrow_stream"),
    )
}
CHOICES = tuple(each.name for each in FORMATS.values() if each.endings)
"""The formats that ``--input`` offers."""
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""The codecs of compressed files, by the ending of the file name."""


def check(source: "Source") -> list[str]:
    """Return the column names of a file; for JSON lines, the keys of its first rows.

    Raises BadInput if the beginning of the file shows that it is unusable.
    """
    return FORMATS[source.format].load().check(source)


def batches(source: "Source", report: Callable[[int], None] = lambda _: None) -> Iterator["Batch"]:
    """Yield the rows of a file in batches; call ``report`` with the number of bytes read so far.

    Raises BadInput, with the file and the place in it, if the file is broken.
    """
    return FORMATS[source.format].load().batches(source, report)


def format_of(path: Path) -> str:
    """Return the format that the ending of a file's name shows, or an empty string."""
    name = path.name.lower()
    plain = name
    for ending in COMPRESSED:
        plain = plain.removesuffix(ending)
    for each in FORMATS.values():
        if plain.endswith(each.endings) and (each.compressible or plain == name):
            return each.name
    return ""


def codec_of(path: str) -> str | None:
    """Return the codec that the ending of a file's name shows, or None."""
    name = path.lower()
    return next((codec for ending, codec in COMPRESSED.items() if name.endswith(ending)), None)


def all_endings() -> str:
    """Return the endings of all formats as a list for a sentence."""
    plain = [ending for each in FORMATS.values() for ending in each.endings]
    *most, last = COMPRESSED
    listed = f"{', '.join(most)} or {last}"
    return f"{', '.join(plain)}, text formats also with {listed}"

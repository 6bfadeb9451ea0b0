"""The list of input formats; the module of a format reads its files.

To add a format, write a module in this folder with the functions of ``FormatModule``, and add a
line to ``FORMATS``. A module is imported only when the first file of its format is read, so that
the command line can list the formats without delay.

Reading an invalid file raises BadInput, which names the file and the line or row group. Single
invalid rows are rejected by the task that stages the file, not by the format's module.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from .source import Batch, Source


class FormatModule(Protocol):
    """The functions that a format's module must have."""

    def check(self, source: "Source") -> list[str]:
        """Return the column names; raise BadInput if the beginning of the file is unusable."""

    def batches(self, source: "Source", report: Callable[[int], None]) -> Iterator["Batch"]:
        """Yield the rows in batches; call ``report`` with the number of bytes read so far."""


@dataclass(frozen=True)
class Format:
    """An input format: its name, its module, and the endings of its files."""

    name: str
    module: str
    """The name of the format's module in this folder."""
    endings: tuple[str, ...] = ()
    """The endings of the format's file names.

    If it has none, only ``--input`` or a caller can choose the format.
    """
    compressible: bool = False
    """Whether files of the format are plain text, which may be compressed as a whole.

    An example is ``x.csv.gz``.
    """
    packed: bool = False
    """Whether files of the format are compressed internally, like Parquet files."""
    internal: bool = False
    """Whether the format is only for files that provhouse itself has written."""

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
        Format("prov-json", "prov_json", (".provjson", ".cwlprov.json"), compressible=True),
        Format("prov-n", "prov_n", (".provn",), compressible=True),
        Format("prov-o", "prov_o", (".ttl", ".trig", ".nt", ".nq"), compressible=True),
        Format("wfformat", "wfformat", compressible=True),
        Format("ro-crate", "ro_crate", ("ro-crate-metadata.json",), compressible=True),
        Format("dbt", "dbt_artifacts", compressible=True),
        Format("airflow", "airflow", compressible=True),
        Format("nextflow", "nextflow", compressible=True),
        Format("nextflow-lineage", "nextflow_lineage"),
        Format("export", "exported", packed=True, internal=True),
        Format("arrow", "arrow_stream", internal=True),
    )
}
CHOICES = tuple(each.name for each in FORMATS.values() if not each.internal)
"""The names of the formats that ``--input`` accepts."""
COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""The codecs for compressed files, by the ending of the file name."""


def check(source: "Source") -> list[str]:
    """Return the column names of a file; for JSON lines, the keys that occur in its first rows.

    Raises BadInput if the beginning of the file shows that it is unusable.
    """
    return FORMATS[source.format].load().check(source)


def batches(source: "Source", report: Callable[[int], None] = lambda _: None) -> Iterator["Batch"]:
    """Yield the rows of a file in batches; call ``report`` with the number of bytes read so far.

    Raises BadInput, with the file and the position of the error, if the file is invalid.
    """
    found = FORMATS[source.format].load().batches(source, report)
    return map(source.with_constants, found)


def format_of(path: Path) -> str:
    """Return the format for a file's name, or an empty string if its ending is unknown."""
    name = path.name.lower()
    plain = name
    for ending in COMPRESSED:
        plain = plain.removesuffix(ending)
    for each in FORMATS.values():
        if each.endings and plain.endswith(each.endings) and (each.compressible or plain == name):
            return each.name
    return ""


def codec_of(path: str) -> str | None:
    """Return the codec for a file's name, or None if its ending is not in ``CODECS``."""
    name = path.lower()
    return next((codec for ending, codec in COMPRESSED.items() if name.endswith(ending)), None)


def all_endings() -> str:
    """Return the endings of all formats as a list to insert in a sentence."""
    plain = [ending for each in FORMATS.values() for ending in each.endings]
    *most, last = COMPRESSED
    listed = f"{', '.join(most)} or {last}"
    return f"{', '.join(plain)}, text formats also with {listed}"

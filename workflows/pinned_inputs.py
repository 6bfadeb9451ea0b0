"""Pins of inputs: the exact state in which an execution has read a table.

A pin is a version of a Delta table, the SHA-256 of Parquet files or of the rows of a table in a
DuckDB file, or a digest that the user states. Two pins are equal only if the data are. So a Delta
table is identified by its own id and its path: a table that was created again, with the same
version numbers, is a different table. Files are identified by their entire content, since size and
time may stay the same while the content changes.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from provhouse.model.errors import BadInput, UsageError
from provhouse.model.paths import local_path
from provhouse.runtime.packages import Deferred

from .table_pins import file_of, state_of_place

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


Kind = Literal["delta", "files", "table", "digest"]
TablePath = tuple[str, ...]
"""The qualified name of a table: its database, its schema and its own name."""
SHOWN = len("sha256:") + 12
"""The number of characters of a digest that are shown to people."""
_DELTA = re.compile(r"(.+)@(\d+)")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class InputPin:
    """The state of one table that an execution has read."""

    table: str
    kind: Kind
    place: str
    """The folder or file with the data, with a table's name; empty if only a digest is known."""
    state: str
    """The identity of the data: the id and the version of a Delta table, or a SHA-256."""

    @property
    def identity(self) -> tuple[str, ...]:
        """The parts of a pin that are equal if the data are equal."""
        return (self.kind, self.place, self.state) if self.kind == "delta" else (self.state,)

    def names(self, table: TablePath) -> bool:
        """Return whether the pin names a table, possibly by only the last parts of its name.

        Only the last part may contain dots, as in the path of a file.
        """
        parts = tuple(self.table.split("."))
        return table[-len(parts) :] == parts or table[-1] == self.table

    @property
    def path(self) -> Path | None:
        """The folder or file with the data, or None if only a digest is known."""
        if self.kind == "table":
            return file_of(self.place)
        return Path(self.place) if self.place else None

    @property
    def shown(self) -> str:
        """The pin in the format that users write."""
        if self.kind == "delta":
            return f"{self.place}@{self.version}"
        return f"{self.place} {self.state[:SHOWN]}".strip()

    @property
    def version(self) -> int:
        """The version of a Delta table."""
        return int(self.state.rpartition("@")[2])


def pinned(inputs: Mapping[str, str]) -> tuple[InputPin, ...]:
    """Return the pins of inputs given as DELTA@V, FILE, FOLDER or sha256:HEX, by table.

    Raises BadInput if the data cannot be read.
    """
    return tuple(_pin(table, text) for table, text in sorted(inputs.items()))


def pinned_now(pins: Iterable[InputPin]) -> tuple[InputPin, ...]:
    """Return pins of the current states of the same inputs. A stated digest is kept."""
    return tuple(_now(pin) for pin in pins)


def files_of(place: Path) -> list[Path]:
    """Return the Parquet files at a path, sorted; raise BadInput if there are none."""
    found = sorted(place.rglob("*.parquet")) if place.is_dir() else [place]
    if not found or not all(each.is_file() for each in found):
        raise BadInput(f"Cannot read {place}", "It has no Parquet file", "Name Parquet files")
    return found


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes; raise BadInput if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadInput(
            f"Cannot read {path}", str(error.strerror), "Name a readable file"
        ) from error


def _pin(table: str, text: str) -> InputPin:
    if text.startswith("sha256:"):
        if not _DIGEST.fullmatch(text):
            raise UsageError(f"{text!r} is not a digest", remedy="Write sha256: and 64 hex digits")
        return InputPin(table, "digest", "", text)
    if found := _DELTA.fullmatch(text):
        return _delta(table, local_path(found[1]).absolute(), int(found[2]))
    place = local_path(text).absolute()
    if (place / "_delta_log").is_dir():
        raise UsageError(
            f"The version of the Delta table {place} is missing",
            "Without a version, later commits would change what was read",
            f"Name the version that was read, as {table}={text}@12",
        )
    return _files(table, place)


def _now(pin: InputPin) -> InputPin:
    if pin.kind == "delta":
        return _delta(pin.table, Path(pin.place), None)
    if pin.kind == "table":
        return replace(pin, state=state_of_place(pin.place))
    return _files(pin.table, Path(pin.place)) if pin.kind == "files" else pin


def _delta(table: str, place: Path, version: int | None) -> InputPin:
    try:
        found = deltalake.DeltaTable(place, version=version)
    except (deltalake.exceptions.DeltaError, OSError) as error:
        raise BadInput(
            f"Cannot read version {version} of the Delta table {place}"
            if version is not None
            else f"Cannot read the Delta table {place}",
            "There is no such table, or the version was removed",
            "Name a version that the table still has",
        ) from error
    return InputPin(table, "delta", str(place), f"{found.metadata().id}@{found.version()}")


def _files(table: str, place: Path) -> InputPin:
    if place.is_file():
        return InputPin(table, "files", str(place), f"sha256:{file_digest(place)}")
    whole = hashlib.sha256()
    for file in files_of(place):
        whole.update(f"{file.relative_to(place)}\n{file_digest(file)}\n".encode())
    return InputPin(table, "files", str(place), f"sha256:{whole.hexdigest()}")

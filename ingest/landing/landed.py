"""The report on the writes of a captured block: what is in the warehouse, and what is not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from provhouse.capturing.jvm_rules import Refusal
from provhouse.capturing.reading.widened import Widened
from provhouse.model.errors import ProvhouseError

from .unused_keys import UnusedKeys


@dataclass(frozen=True)
class LandedWrite:
    """A captured write that is in the warehouse."""

    table: str
    version: int
    """Its rows are named ``table/key@version``; the plain name means the newest version."""
    path: Path
    rows: int
    taps: int
    """The number of operators below which associations were written aside."""
    associations: int
    """The number of pairs of a source row and a row of the write, or of a group of its rows."""
    bytes: int
    """The size of its association files, which the ingest removes."""
    seconds: float
    """Seconds that Spark took for the write, without the rewriting of the plan."""
    rewriting: float
    """Seconds that the rewriting of the plan took."""
    supersets: tuple[str, ...]
    """The operations whose lineage may have more rows than those that were used."""
    sample: float = 1.0
    """The part of the rows that has lineage in the warehouse."""

    def __str__(self) -> str:
        found = (
            f"{self.table}@{self.version}: {self.rows:,} rows, {self.associations:,} associations"
            f" by {self.taps} taps, {self.bytes:,} bytes, {self.seconds:.2f} s"
        )
        if self.sample < 1:
            found += f", a sample of {100 * self.sample:.3g}%"
        return found + (f"; supersets: {', '.join(self.supersets)}" if self.supersets else "")


@dataclass(frozen=True)
class LandedMark:
    """Marked rows of a captured write, which are items of their own in the warehouse."""

    table: str
    version: int
    rows: int


@dataclass(frozen=True)
class Landed:
    """The outcome of the writes of one captured block."""

    writes: tuple[LandedWrite, ...] = ()
    generation: int = 0
    """The generation that shows them; 0 if nothing was written."""
    incomplete: tuple[str, ...] = ()
    """The paths of writes whose end Spark did not report, or that were overwritten; left out."""
    refusals: tuple[Refusal, ...] = ()
    """The writes that were refused, that have run without capture, or were stopped by a budget."""
    folder: Path | None = None
    """The folder to ingest later, if the ingest has failed: ``provhouse ingest --captured``."""
    error: str = ""
    """Why the ingest has failed."""
    unused_keys: UnusedKeys | None = None
    """Declared keys of tables that neither the writes nor the warehouse have."""
    marks: tuple[LandedMark, ...] = ()
    """The rows that the program has marked, by ``run.mark``."""
    kept_out: tuple[Refusal, ...] = ()
    """The writes that could not be ingested, such as those with a wrong key, while others were."""
    fault: ProvhouseError | None = field(default=None, repr=False)
    """The error for which writes were kept out."""
    widened: Widened = field(default_factory=dict, repr=False)
    """The windows whose rows were found to derive from whole partitions."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield a line for each write, and for whatever was left out."""
        if self.writes:
            yield f"Generation {self.generation}"
        else:
            yield "No write was captured"
        for write in self.writes:
            yield str(write)
        for mark in self.marks:
            yield f"{mark.table}@{mark.version}: {mark.rows:,} marked rows"
        for path in self.incomplete:
            yield f"Left out: {path}, which Spark did not finish, or which was overwritten"
        for kept in self.kept_out:
            yield f"Kept out: {kept.name}. {kept.reason}"
        for refusal in self.refusals:
            yield f"Not captured: {refusal.name}. {refusal.reason}"
        if self.error:
            yield f"Not ingested: {' '.join(self.error.splitlines())}. It is kept in {self.folder}"

"""The report on a captured block: the writes that landed, and the writes that did not."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from provhouse.capturing.jvm_rules import Refusal
from provhouse.capturing.reading.traced_rows import Traced
from provhouse.model.errors import ProvhouseError
from provhouse.store.tables.written import Written
from provhouse.store.warehouse.layout import bytes_below

from .unused_keys import UnusedKeys

WHOLE_FRAME = "rdd of all rows"
"""The operation in ``LandedWrite.supersets`` of rows that went through ``frame.rdd``."""


@dataclass(frozen=True)
class LandedWrite:
    """A captured write that is in the warehouse."""

    table: str
    version: int
    """The version of the rows, which are named ``table/key@version``.

    A name without a version refers to the newest version.
    """
    path: Path
    rows: int
    taps: int
    """The number of operators whose taps wrote associations to files."""
    associations: int
    """The number of pairs of a source row with a written row or with a group of written rows."""
    bytes: int
    """The size of the write's association files in bytes. The ingest removes these files."""
    seconds: float
    """The seconds that Spark took for the write, not counting the time to rewrite the plan."""
    rewriting: float
    """The seconds that capture took to rewrite the plan."""
    supersets: tuple[str, ...]
    """The operations whose lineage may include unused rows."""
    sample: float = 1.0
    """The fraction of the written rows that have lineage in the warehouse."""

    def __str__(self) -> str:
        found = (
            f"{self.table}@{self.version}: {self.rows:,} rows, {self.associations:,} associations"
            f" by {self.taps} taps, {self.bytes:,} bytes, {self.seconds:.2f} s"
        )
        if self.sample < 1:
            found += f", a sample of {100 * self.sample:.3g}%"
        return found + (f"; supersets: {', '.join(self.supersets)}" if self.supersets else "")


def landed_write(found: Traced, version: Written) -> LandedWrite:
    """Return the report on a write that has landed."""
    output = found.output
    pairs = sum(len(each.at) for each in found.direct_pairs())
    pairs += sum(each.sources.count for each in found.grouped)
    return LandedWrite(
        version.table,
        version.version,
        output.write.path,
        sum(output.counts),
        sum(tap.of is None for tap in output.write.taps),
        pairs,
        bytes_below(output.write.folder),
        output.write.seconds,
        output.write.rewriting,
        tuple(output.write.taps[number].name for number in sorted(found.supersets)),
        output.sample,
    )


@dataclass(frozen=True)
class LandedMark:
    """Rows marked with ``run.mark``, which are items of a table in the warehouse."""

    table: str
    version: int
    rows: int


@dataclass(frozen=True)
class Landed:
    """The outcome of the writes of one captured block."""

    writes: tuple[LandedWrite, ...] = ()
    generation: int = 0
    """The generation that contains the writes; 0 if nothing was written."""
    incomplete: tuple[str, ...] = ()
    """The paths of writes that were left out.

    Either Spark did not report the end of such a write, or another write replaced its rows.
    """
    refusals: tuple[Refusal, ...] = ()
    """The writes that were refused, that ran uncaptured, or whose budget stopped their capture."""
    folder: Path | None = None
    """If this ingest has failed, the folder to ingest with ``provhouse ingest --captured``."""
    error: str = ""
    """Why the ingest has failed."""
    unused_keys: UnusedKeys | None = None
    """Declared keys of tables that occur neither in the writes nor in the warehouse."""
    revision: str = ""
    """The revision of the workflow that the block names; empty if it does not name one."""
    unstored: tuple[str, ...] = ()
    """Why the revision, or some of its results, are not stored."""
    marks: tuple[LandedMark, ...] = ()
    """The rows that the program marked with ``run.mark``."""
    kept_out: tuple[Refusal, ...] = ()
    """The writes that could not be ingested, for example because of a wrong key."""
    fault: ProvhouseError | None = field(default=None, repr=False)
    """The error that kept writes out, or None."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Yield a line for each write, whether it landed or not."""
        if self.writes:
            revision = f", revision {self.revision}" if self.revision else ""
            yield f"Generation {self.generation}{revision}"
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


def landing_report(landed: Landed, run: str, seconds: float) -> dict[str, object]:
    """Return the costs of a block's capture for the page, which does not show paths."""
    shown = ("table", "version", "rows", "taps", "associations", "bytes", "seconds", "rewriting")
    writes = [{name: getattr(each, name) for name in shown} for each in landed.writes]
    return {"run": run, "generation": landed.generation, "landing": seconds, "writes": writes}

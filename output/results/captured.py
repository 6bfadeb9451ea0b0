"""``ingest --captured``: the writes of a captured job that are in the warehouse now."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted, quantity
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult

if TYPE_CHECKING:
    from provhouse.ingest.landing.landed import Landed, LandedWrite


@dataclass(frozen=True)
class CapturedResult(ShownResult):
    """The captured writes that were ingested, and the writes that were left out."""

    landed: "Landed"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a line for each write."""
        writes = self.landed.writes
        if writes:
            head = f"Generation {self.landed.generation}: {counted(len(writes), 'captured write')}."
        else:
            head = "Nothing was ingested: there is no captured write that is complete."
        yield styled(head, "bold")
        yield facts([*map(_fact, writes), *_left_out(self.landed)])

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/captured.json`` describes it."""
        writes = [{**asdict(write), "path": str(write.path)} for write in self.landed.writes]
        yield {
            "generation": self.landed.generation,
            "writes": [{**each, "supersets": list(each["supersets"])} for each in writes],
            "incomplete": list(self.landed.incomplete),
            "refusals": [
                {"table": each.name, "reason": each.reason} for each in self.landed.refusals
            ],
            "unused_keys": list(unused.declared if (unused := self.landed.unused_keys) else ()),
            "revision": self.landed.revision,
            "unstored": list(self.landed.unstored),
        }

    def csv(self) -> Csv:
        """Return a row for each write."""
        columns = ("table", "version", "path", "rows", "taps", "associations", "bytes", "seconds")
        writes = self.landed.writes
        return columns, ([_plain(getattr(write, name)) for name in columns] for write in writes)


def _fact(write: "LandedWrite") -> tuple[str, str]:
    size = quantity(write.bytes, "bytes")
    sample = f"of which a sample of {100 * write.sample:.3g}%, " if write.sample < 1 else ""
    pairs = counted(write.associations, "association")
    return shown(
        write.table
    ), f"version {write.version}: {counted(write.rows, 'row')}, {sample}{pairs}, {size}"


def _left_out(landed: "Landed") -> Iterator[tuple[str, str]]:
    if landed.revision:
        yield "revision", shown(landed.revision)
    for note in landed.unstored:
        yield "not stored", shown(" ".join(note.splitlines()))
    for path in landed.incomplete:
        yield "left out", f"{shown(path)}: Spark did not finish the write, or it was overwritten"
    for refusal in landed.refusals:
        yield "not captured", shown(f"{refusal.name}: {refusal.reason}")
    if landed.unused_keys:
        yield "unused keys", shown(" ".join(str(landed.unused_keys).splitlines()))


def _plain(value: object) -> object:
    return value if isinstance(value, int | float) else str(value)

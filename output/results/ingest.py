"""The result of an ingest: the counts of new, stored and rejected data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted, names_of, quantity, steps
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, attributes, one_row, rounded

if TYPE_CHECKING:
    from provhouse.ingest.ingest_summary import Reject, Summary


@dataclass(frozen=True)
class IngestResult(ShownResult):
    """The counts of an ingest and of the warehouse after it."""

    summary: "Summary"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline with the new data, then the stored and the rejected data."""
        yield styled(_headline(self.summary), "bold")
        yield facts(_facts(self.summary))
        if self.summary.triples:
            yield styled(
                "Next: provhouse lineage ITEM, provhouse impact ITEM, provhouse browser", "dim"
            )

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/ingest.json`` describes it."""
        summary = self.summary
        names = ("generation", "triples", "items", "components", "sets", "set_dependencies",
                 "rejected", "duplicates", "ended", "two_tables", "passed_over",
                 "first_passed_over", "operations", "modules", "unread")  # fmt: skip
        seconds = rounded(summary.seconds)
        memory = summary.peak_memory_mb
        yield {**attributes(summary, *names), "seconds": seconds, "peak_memory_mb": memory}

    def csv(self) -> Csv:
        """Return one row: the counts and the total seconds."""
        counts = {name: value for name, value in asdict(self.summary).items()
                  if isinstance(value, int) and name != "committed"}  # fmt: skip
        return one_row({**counts, "seconds": self.summary.seconds.get("total")})


def _headline(summary: "Summary") -> str:
    if not summary.committed:
        return "Nothing new; the warehouse is unchanged."
    ended = f", {counted(summary.ended, 'triple')} ended" if summary.ended else ""
    new = f"{counted(summary.new_triples, 'new triple')}, {counted(summary.new_items, 'new item')}"
    return f"Generation {summary.generation}: {new}{ended}."


def _facts(summary: "Summary") -> Iterator[tuple[str, str]]:
    yield "triples", f"{summary.triples:,} stored"
    yield "items", f"{summary.items:,} stored"
    yield "tables", names_of(summary.tables)
    if summary.operations:
        yield "operations", f"{counted(summary.operations, 'op')} described"
    if summary.modules:
        yield "modules", f"{counted(summary.modules, 'module')} declared"
    yield "cut into", _cut_into(summary)
    if summary.duplicates:
        yield "duplicates", f"{counted(summary.duplicates, 'row')} with known triples"
    if summary.rejected:
        where = f", saved in {shown(str(summary.rejects))}" if summary.rejects else ""
        yield "rejected", f"{counted(summary.rejected, 'row')}{where}"
        yield from rejected(summary.first_rejects, summary.rejected)
    yield from unread(summary.unread)
    yield from passed_over(summary.first_passed_over, summary.passed_over)
    if summary.two_tables:
        yield "two tables", two_tables(summary.two_tables)
    yield "size on disk", quantity(summary.bytes_on_disk, "bytes")
    yield "time", steps(summary.seconds)
    yield "memory", f"{summary.peak_memory_mb:,} MB at peak"


def _cut_into(summary: "Summary") -> str:
    number = summary.set_dependencies
    dependencies = "1 set dependency" if number == 1 else f"{number:,} set dependencies"
    components = counted(summary.components, "component")
    return f"{components}, {counted(summary.sets, 'set')}, {dependencies}"


def rejected(first: "Sequence[Reject]", count: int) -> Iterator[tuple[str, str]]:
    """Yield lines with the first rejected rows and the number of further rows."""
    for reject in first:
        yield "", f"{shown(reject.file)}, row {reject.row:,}: {shown(reject.reason)}"
    if first and count > len(first):
        yield "", f"… {count - len(first):,} more"


def unread(found: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield lines with the parts of documents that did not become triples, and their counts."""
    for at, (name, count) in enumerate(found.items()):
        yield "" if at else "not read", f"{count:,} of {shown(name)}"


def passed_over(first: "Sequence[str]", count: int) -> Iterator[tuple[str, str]]:
    """Yield lines with the number of files that were not read, and the first few of them."""
    if count:
        yield "passed over", f"{counted(count, 'file')}, not read because of their names"
        yield from (("", shown(name)) for name in first)
        if count > len(first):
            yield "", f"… {count - len(first):,} more"


def two_tables(items: int) -> str:
    """Return a sentence about items that were stated to be in several tables."""
    return f"{counted(items, 'item')} named with several tables; the most frequent one is used"

"""The status of a warehouse: its contents and its running servers."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..sections import Section, facts
from ..shown_result import Csv, Json, ShownResult, attributes, one_row

if TYPE_CHECKING:
    from provhouse.query.listing.status import Status


@dataclass(frozen=True)
class StatusResult(ShownResult):
    """The totals of the current generation, and the addresses of running servers."""

    status: "Status"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a line for each fact."""
        yield facts(_facts(self.status))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/status.json`` describes it."""
        yield status_object(self.status)

    def csv(self) -> Csv:
        """Return one row with all values of the status."""
        counts = {name: len(getattr(self.status, name)) for name in ("waiting", "uncaptured")}
        return one_row({**asdict(self.status), **counts})


def status_object(status: "Status") -> Json:
    """Return the JSON object of a status."""
    found = attributes(
        status, "warehouse", "generation", "triples", "items", "components", "sets",
        "set_dependencies", "partitions", "erased", "compact", "neo4j", "server",
    )  # fmt: skip
    waiting, uncaptured = (
        [asdict(each) for each in some] for some in (status.waiting, status.uncaptured)
    )
    return {**found, "waiting": waiting, "uncaptured": uncaptured}


def _facts(status: "Status") -> Iterator[tuple[str, str]]:
    yield "warehouse", shown(status.warehouse)
    if status.generation is None:
        yield "generation", "none yet; start with provhouse ingest FILES"
    else:
        yield "generation", f"{status.generation:,}"
        for name in ("triples", "items", "components", "sets", "set_dependencies"):
            yield name.replace("_", " "), f"{getattr(status, name):,}"
        if status.erased:
            yield "erased", f"{status.erased:,} of the items"
        worth = (
            f"; {status.needed:,} would be enough, run provhouse tidy --rewrite"
            if status.compact
            else ""
        )
        yield "partitions", f"{status.partitions:,}{worth}"
    for waiting in status.waiting:
        lost = "it has ended" if waiting.ended else "its driver was lost"
        why = waiting.error or lost
        yield "not ingested", shown(f"a captured job of {waiting.begun}: {why}")
        yield "", f"provhouse ingest --captured {shown(waiting.folder)}"
    for write in status.uncaptured:
        yield "not captured", shown(f"{write.table}, at {write.written}: {write.reason}")
    yield "neo4j", status.neo4j or "not running; commands that need it start it"
    if status.server:
        yield "server", status.server

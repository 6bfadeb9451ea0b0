"""The results about OpenLineage: the catalogue, and events that were read or written."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..escape import shown
from ..phrases import counted, listed
from ..sections import Section, grid, styled
from .found import FoundResult

SHOWN = 100
"""The largest number of rows printed for people."""
FACETS = 10
"""The maximum number of facets that are named in the output for people."""


@dataclass(frozen=True)
class CatalogueResult(FoundResult):
    """The datasets of jobs."""

    rows: str = "uses"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table with the first rows. Only JSON and CSV contain the namespaces."""
        uses = self.found.uses
        if not uses:
            yield styled("No events were ingested: run `provhouse ingest --openlineage FILE`.")
            return
        table = grid("job", "uses", "dataset", "table", "state", "at")
        for each in uses[:SHOWN]:
            cells = each.job, each.uses, each.dataset, each.table or "", each.state, each.time[:16]
            table.add_row(*(styled(shown(cell)) for cell in cells))
        yield table
        if len(uses) > SHOWN:
            yield styled(f"{counted(len(uses) - SHOWN, 'more row')}: use --out FILE.csv", "dim")


@dataclass(frozen=True)
class EventsReadResult(FoundResult):
    """The counts of events that were read."""

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield sentences about the events, and about the parts of them that were not read."""
        found = self.found
        jobs, datasets = counted(found.jobs, "job"), counted(found.datasets, "dataset")
        yield styled(f"Read {counted(found.events, 'event')} of {jobs} and {datasets}.")
        if found.left_out:
            yield styled(f"Left out {counted(found.left_out, 'event')} that name no job.")
        if found.facets_not_read:
            names = listed([shown(each) for each in found.facets_not_read], FACETS)
            yield styled(f"Facets that were not read: {names}.", "dim")


@dataclass(frozen=True)
class EventsWrittenResult(FoundResult):
    """The number of events that were written."""

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a sentence with the number and the destination."""
        yield styled(f"Wrote {counted(self.found.events, 'event')} to {shown(self.found.to)}.")

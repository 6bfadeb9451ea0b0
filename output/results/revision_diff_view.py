"""The difference between two revisions: operators, inputs, and records of their results."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..sections import Section, facts, grid, noted, styled
from ..shown_result import Csv
from .derivation_list import MOST_ROWS
from .found import FoundResult

if TYPE_CHECKING:
    from provhouse.workflows.revision_diff import RevisionDiff


@dataclass(frozen=True)
class RevisionDiffResult(FoundResult):
    """The operators, inputs and records that changed between two revisions. CSV has the records."""

    found: "RevisionDiff"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the verdict on the queries, the counts of the records, and the first records."""
        found, results = self.found, self.found.results
        yield styled(f"{found.before} to {found.after}: {found.verdict}, {found.reason}", "bold")
        named = {"operator": found.operator, "changes": found.changes, "inputs": found.inputs}
        yield facts((name, shown(_listed(value))) for name, value in named.items() if value)
        if results is None:
            return
        columns = ("key", "columns_came", "columns_went", "columns_retyped")
        values = {name.replace("_", " "): getattr(results, name) for name in columns}
        yield facts((name, shown(_listed(value))) for name, value in values.items() if value)
        yield from noted(map(shown, results.notes))
        numbers = grid("records", "cause", right=("number",))
        for each in results.causes:
            numbers.add_row(styled(each.kind), styled(each.cause), f"{each.records:,}")
        if results.causes:
            yield numbers
        yield styled(f"came {results.came:,}, went {results.went:,}, changed {results.changed:,}.")
        records = grid("", "cause", after=("before", "after"))
        for one in results.records[:MOST_ROWS]:
            rows = (shown(_row(each)) for each in (one.before, one.after))
            records.add_row(styled(one.kind), styled(one.cause), *map(styled, rows))
        if results.records:
            yield records

    def csv(self) -> Csv:
        """Return a row for each record; before and after are maps."""
        records = self.found.results.records if self.found.results else ()
        names = ("kind", "cause", "before", "after")
        return names, ([getattr(each, name) for name in names] for each in records)


def _row(values: Mapping[str, str | None] | None) -> str:
    """Return the values of a record as a string."""
    if values is None:
        return ""
    return ", ".join(f"{name}={'NULL' if v is None else v}" for name, v in values.items())


def _listed(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)

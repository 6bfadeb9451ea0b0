"""Results about workflows: lists of revisions and results, and whether a result can be used."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted
from ..sections import Section, facts, grid, styled
from ..shown_result import Csv, one_row
from .found import FoundResult, json_fields

if TYPE_CHECKING:
    from provhouse.workflows.listed import Results, Revisions
    from provhouse.workflows.reuse_search import Reuse


@dataclass(frozen=True)
class RevisionsResult(FoundResult):
    """A row for each revision."""

    found: "Revisions"
    rows: str = "revisions"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table of the revisions, with what each one changes."""
        table = grid("revision", "time", after=("sinks", "changes"))
        for each in self.found.revisions:
            lists = ("; ".join(each.sinks), "; ".join(each.changes))
            table.add_row(*(styled(shown(text)) for text in (each.revision, each.time, *lists)))
        if self.found.revisions:
            yield table
        yield styled(f"{counted(len(self.found.revisions), 'revision')}.", "dim")


@dataclass(frozen=True)
class ResultsResult(FoundResult):
    """A row for each result of an execution's sink."""

    found: "Results"
    rows: str = "results"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table of the results, with the reason why one cannot be used."""
        table = grid("revision", "sink", "ended", "result", right=("records",), after=("use",))
        for each in self.found.results:
            use = each.hindrance or "can be used"
            texts = (each.revision, each.sink, each.ended, each.result[:12])
            table.add_row(*map(styled, map(shown, texts)), f"{each.records:,}", styled(shown(use)))
        if self.found.results:
            yield table
        yield styled(f"{counted(len(self.found.results), 'result')}.", "dim")


@dataclass(frozen=True)
class ReuseResult(FoundResult):
    """Whether a result can be used: its path, or the reason to build it."""

    found: "Reuse"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the decision with its reason, and the other facts that are known."""
        found = self.found
        yield styled(f"{found.decision}: {found.reason}", "bold")
        names = [each.name for each in fields(found) if each.name not in ("decision", "reason")]
        known = ((name, getattr(found, name)) for name in names)
        yield facts((name, shown(str(value))) for name, value in known if value)

    def csv(self) -> Csv:
        """Return one row with all fields."""
        return one_row(json_fields(self.found))


@dataclass(frozen=True)
class AddedResult(FoundResult):
    """A revision that was added, or an execution that was stored."""

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the fields."""
        yield facts((name, shown(_listed(value))) for name, value in vars(self.found).items())

    def csv(self) -> Csv:
        """Return one row with all fields."""
        return one_row(json_fields(self.found))


def _listed(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)

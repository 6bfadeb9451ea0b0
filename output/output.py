"""What a command hands its result to."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .file import destination
from .form import Form, chosen

if TYPE_CHECKING:
    from provhouse.care.report import Report
    from provhouse.changes.forget import Forgotten
    from provhouse.changes.prune import Pruned
    from provhouse.changes.retract import Retraction
    from provhouse.ingest.preview import Preview
    from provhouse.ingest.summary import Summary
    from provhouse.model.answer import Answer
    from provhouse.query.diff import Diff
    from provhouse.query.explain import Explanation
    from provhouse.query.find import Finding
    from provhouse.query.generations import Generation
    from provhouse.query.path import Path as Way
    from provhouse.query.status import Status
    from provhouse.store.warehouse.manifest import Manifest


STEPS = ("locate", "walk", "fetch", "recurse", "name", "total")
"""What every answer tells the seconds of."""
RETRACTED = ("generation", "ended", "kept", "triples")
"""What every retraction tells of."""


@dataclass(frozen=True)
class Absent:
    """The reply to an item, asked among many, that the warehouse does not hold."""

    item: str


class Output(Protocol):
    """One result, written in one form."""

    def answer(self, answer: "Answer") -> None:
        """The answer to the one item that was asked."""

    def answers(self, replies: "Iterable[Answer | Absent]") -> None:
        """The replies to many items, each written before the next one is asked for."""

    def path(self, path: "Way") -> None:
        """How one item was derived from another."""

    def finding(self, finding: "Finding") -> None:
        """Items that were found by their names."""

    def explanation(self, explanation: "Explanation") -> None:
        """What a question would read."""

    def diff(self, diff: "Diff") -> None:
        """What came and went between two generations."""

    def generations(self, generations: "Sequence[Generation]") -> None:
        """All generations, in order."""

    def summary(self, summary: "Summary") -> None:
        """What an ingest brought."""

    def retraction(self, retraction: "Retraction") -> None:
        """What a retraction ended."""

    def preview(self, preview: "Preview") -> None:
        """What an ingest would bring."""

    def status(self, status: "Status") -> None:
        """What a warehouse holds."""

    def report(self, report: "Report") -> None:
        """What a check found."""

    def pruned(self, pruned: "Pruned") -> None:
        """What is no longer kept."""

    def forgotten(self, forgotten: "Forgotten") -> None:
        """What was erased."""

    def exported(self, manifest: "Manifest") -> None:
        """What was exported."""

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Rows of plain values: text, numbers, truth, null, and lists and maps of these."""


@contextmanager
def opened(
    form: Form | None, out: Path | None = None, timing: bool = False, safe: bool = False
) -> Iterator[Output]:
    """The output for one result, in the form asked for; opened before any work begins.

    ``timing`` lets a table show the steps of an answer, ``safe`` makes CSV that no spreadsheet
    takes for formulas. Raises Unavailable if ``out`` can't be
    written.
    """
    with destination(out) as handle:
        match chosen(form, out, terminal=out is None and handle.isatty()):
            case Form.json:
                from .json import JsonOutput

                yield JsonOutput(handle)
            case Form.lines:
                from .json_lines import JsonLinesOutput

                yield JsonLinesOutput(handle)
            case Form.csv:
                from .csv import CsvOutput

                yield CsvOutput(handle, safe)
            case Form.table:
                from .table import TableOutput

                yield TableOutput(handle, timing=timing)

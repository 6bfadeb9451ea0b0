"""CSV for spreadsheets and shell tools: one header line, lines end in a plain line feed."""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

from .escape import OnTerminal
from .output import RETRACTED, Absent

if TYPE_CHECKING:
    import pyarrow as pa

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
    from provhouse.query.path import Path
    from provhouse.query.status import Status
    from provhouse.store.warehouse.manifest import Manifest

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
_COLUMNS = ["item", "table", "depth"]


class _LineFeeds:
    """Takes the rows of a writer that ends them in CR LF, the one form that quotes both."""

    def __init__(self, handle: "TextIO | OnTerminal") -> None:
        self._handle = handle

    def write(self, row: str) -> int:
        return self._handle.write(row.removesuffix("\r\n") + "\n")


class _Harmless:
    """Writes rows of which a spreadsheet takes no text for a formula, as OWASP advises.

    All is quoted, since some spreadsheets part cells at a semicolon.
    """

    def __init__(self, handle: _LineFeeds) -> None:
        self._writer = csv.writer(handle, lineterminator="\r\n", quoting=csv.QUOTE_ALL)

    def writerow(self, row: Iterable[object]) -> None:
        self._writer.writerow([_harmless(cell) for cell in row])

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)


class CsvOutput:
    """Of an answer, CSV holds the items; the triples are in its JSON form.

    ``safe`` puts an apostrophe before text that a spreadsheet would take for a formula.
    """

    def __init__(self, handle: TextIO, safe: bool = False) -> None:
        lines = _LineFeeds(OnTerminal(handle) if handle.isatty() else handle)
        self._writer = _Harmless(lines) if safe else csv.writer(lines, lineterminator="\r\n")

    def answer(self, answer: "Answer") -> None:
        """The columns item, table and depth; of a summary kind, name and count."""
        self.rows(*_rows(answer))

    def answers(self, replies: "Iterable[Answer | Absent]") -> None:
        """The same with the asked item first; no row for what is not held or found nothing."""
        headed = False
        for reply in replies:
            if not isinstance(reply, Absent):
                columns, rows = _rows(reply)
                if not headed:
                    self._writer.writerow(("asked", *columns))
                headed = True
                self._writer.writerows((reply.item, *row) for row in rows)
        if not headed:
            self._writer.writerow(("asked", *_COLUMNS))

    def path(self, path: "Path") -> None:
        """The triples: src, dst, op, attributes."""
        columns = ["src", "dst", "op", "attributes"]
        self.rows(columns, _plain(path.triples.select(columns)))

    def finding(self, finding: "Finding") -> None:
        """The columns item and table."""
        columns = ["item", "table"]
        self.rows(columns, _plain(finding.items.select(columns)))

    def explanation(self, explanation: "Explanation") -> None:
        """A row for each method, and which one would be taken."""
        names = ("method", "taken", "sets", "partitions", "triples", "levels", "seconds", "prepare")
        self.rows(names, (
            (one.method, one.method == explanation.method, *asdict(one.read).values(),
             one.levels, one.seconds, one.prepare)
            for one in explanation.methods
        ))  # fmt: skip

    def diff(self, diff: "Diff") -> None:
        """The triples, which every item that came or went has one of."""
        names = ("src", "dst", "op", "attributes")
        self.rows(("change", *names), (
            (what, *row)
            for what, change in (("came", diff.came), ("went", diff.went))
            for row in _plain(change.triples.select(names))
        ))  # fmt: skip

    def generations(self, generations: "Sequence[Generation]") -> None:
        """A row for each."""
        rows = [asdict(one) for one in generations]
        self.rows(tuple(rows[0]), (tuple(row.values()) for row in rows))

    def summary(self, summary: "Summary") -> None:
        """One row of counts, and the seconds in all."""
        counts = {name: value for name, value in asdict(summary).items()
                  if isinstance(value, int) and name != "committed"}  # fmt: skip
        self.rows((*counts, "seconds"), [(*counts.values(), summary.seconds.get("total"))])

    def retraction(self, retraction: "Retraction") -> None:
        """The same of what ended."""
        counts = [getattr(retraction, name) for name in RETRACTED]
        self.rows((*RETRACTED, "seconds"), [(*counts, retraction.seconds.get("total"))])

    def preview(self, preview: "Preview") -> None:
        """The same of what would come in; the rest is in its JSON form."""
        counts = {n: value for n, value in asdict(preview).items() if isinstance(value, int)}
        self.rows((*counts, "seconds"), [(*counts.values(), preview.seconds.get("total"))])

    def status(self, status: "Status") -> None:
        """One row."""
        held = asdict(status)
        self.rows(tuple(held), [tuple(held.values())])

    def report(self, report: "Report") -> None:
        """A row for each damage."""
        columns = ("where", "wanted", "found", "remedy")
        self.rows(columns, (tuple(asdict(damage).values()) for damage in report.damages))

    def pruned(self, pruned: "Pruned") -> None:
        """One row."""
        held = asdict(pruned)
        self.rows(tuple(held), [tuple(held.values())])

    def forgotten(self, forgotten: "Forgotten") -> None:
        """One row of counts."""
        counts = {**asdict(forgotten), "seconds": forgotten.seconds.get("total")}
        self.rows(tuple(counts), [tuple(counts.values())])

    def exported(self, manifest: "Manifest") -> None:
        """A row for each file."""
        columns = ("name", "rows", "bytes", "sha256")
        self.rows(columns, (tuple(asdict(part).values()) for part in manifest.files))

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Nulls are empty, lists and maps are JSON."""
        self._writer.writerow(columns)
        self._writer.writerows([_cell(value) for value in row] for row in rows)


def _rows(answer: "Answer") -> tuple[Sequence[str], Iterator[Sequence[object]]]:
    if not answer.counts:
        return _COLUMNS, _plain(answer.items.select(_COLUMNS))
    tables, ops = answer.counts.tables, answer.counts.ops
    kinds = (
        ("table", tables.select(["table", "items"])),
        ("op", ops.select(["op", "triples"])),
    )
    rows = ((kind, *row) for kind, table in kinds for row in _plain(table))
    return ("kind", "name", "count"), rows


def _plain(table: "pa.Table") -> Iterator[Sequence[object]]:
    from .rows import pieces  # it needs pyarrow, which other results do not

    for batch in pieces(table):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value

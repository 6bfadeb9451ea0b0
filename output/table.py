"""Tables and sentences for people, at any width of the terminal."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .escape import shown
from .extent import extent
from .output import STEPS, Absent

if TYPE_CHECKING:
    from provhouse.care.report import Report
    from provhouse.changes.forget import Forgotten
    from provhouse.changes.prune import Pruned
    from provhouse.changes.retract import Retraction
    from provhouse.ingest.preview import Preview
    from provhouse.ingest.summary import Reject, Summary
    from provhouse.model.answer import Answer
    from provhouse.query.diff import Diff
    from provhouse.query.explain import Explanation
    from provhouse.query.find import Finding
    from provhouse.query.generations import Generation
    from provhouse.query.path import Path
    from provhouse.query.status import Status
    from provhouse.store.warehouse.manifest import Manifest


class TableOutput:
    """Counts first, long results cut, with a sentence on how to see all."""

    def __init__(
        self,
        handle: TextIO,
        width: int | None = None,
        color: bool | None = None,
        timing: bool = False,
    ) -> None:
        self._console = console(handle, width, color)
        self._timing = timing

    def answer(self, answer: "Answer") -> None:
        """The answer in words, by table, by distance, and how it was found."""
        from .answer import sections

        self._sections(sections(answer, self._timing))

    def answers(self, replies: "Iterable[Answer | Absent]") -> None:
        """A row for each item."""
        counts = ("items", "tables", "triples", "hops")
        timed = STEPS if self._timing else STEPS[-1:]
        table = grid("item", "table", right=(*counts, *(timed if self._timing else ("seconds",))))
        for reply in replies:
            table.add_row(*_reply(reply, timed))
        self._console.print(table)

    def path(self, path: "Path") -> None:
        """The way in words and step by step."""
        from .path import sections

        self._sections(sections(path))

    def finding(self, finding: "Finding") -> None:
        """A line for each item, and how many there are."""
        from .finding import sections

        self._sections(sections(finding))

    def explanation(self, explanation: "Explanation") -> None:
        """The methods beside each other, and which one would be taken."""
        from .explain import sections

        self._sections(sections(explanation))

    def diff(self, diff: "Diff") -> None:
        """What came, then what went."""
        from .diff import sections

        self._sections(sections(diff))

    def generations(self, generations: "Sequence[Generation]") -> None:
        """A row for each."""
        from .generations import listing

        self._console.print(listing(generations))

    def report(self, report: "Report") -> None:
        """A paragraph for each damage."""
        from .damages import sections

        self._sections(sections(report))

    def summary(self, summary: "Summary") -> None:
        """What a person wants to know after an ingest."""
        self._console.print(_headline(summary))
        self._facts(_brought(summary))
        if summary.triples:
            self._console.print(
                "Next: provhouse lineage ITEM, provhouse impact ITEM, provhouse browser",
                style="dim",
            )

    def retraction(self, retraction: "Retraction") -> None:
        """What ended, and what did not since others brought it too."""
        from .retraction import facts, headline

        self._console.print(headline(retraction))
        self._facts(facts(retraction))

    def preview(self, preview: "Preview") -> None:
        """What would come in, how the columns are understood, and what would be cut how."""
        from .preview import facts, headline

        self._console.print(headline(preview))
        self._facts(facts(preview))

    def status(self, status: "Status") -> None:
        """What is held, and what is up."""
        self._facts(_held(status))

    def pruned(self, pruned: "Pruned") -> None:
        """How many generations went, and what came free."""
        from .pruned import facts, headline

        self._console.print(headline(pruned))
        self._facts(facts(pruned))

    def forgotten(self, forgotten: "Forgotten") -> None:
        """How many were erased, and what went with them."""
        from .forgotten import facts, headline

        self._console.print(headline(forgotten))
        self._facts(facts(forgotten))

    def exported(self, manifest: "Manifest") -> None:
        """A sentence."""
        from .exported import sentence

        self._console.print(sentence(manifest))

    def rows(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table with one line for each row, and their number."""
        table = grid(*columns)
        for row in rows:
            table.add_row(*map(_cell, row))
        self._console.print(table)
        self._console.print(counted(table.row_count, "row"), style="dim")

    def _sections(self, sections: "Iterable[Text | Table]") -> None:
        for section in sections:
            self._console.print(section)

    def _facts(self, facts: Iterable[tuple[str, str]]) -> None:
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True, style="bold")
        table.add_column(overflow="fold")
        for name, value in facts:
            table.add_row(name, Text(value))
        self._console.print(table)


def console(handle: TextIO, width: int | None = None, color: bool | None = None) -> Console:
    """A console that takes text as it is, and colours it for a terminal only, or as it is told."""
    terminal = handle.isatty() if color is None else color
    return Console(
        file=handle, width=width, force_terminal=terminal, no_color=None if terminal else True,
        highlight=False, markup=False, emoji=False,
    )  # fmt: skip


def grid(*left: str, right: Sequence[str] = ()) -> Table:
    """An empty table without a frame, so that it can be copied from."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for name in left:
        table.add_column(Text(shown(name)), overflow="fold")
    for name in right:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def table_name(name: str | None) -> Text:
    """The name of a table, and words where there is none."""
    return Text(shown(name)) if name else Text("(no table)", "dim")


def counted(number: int, word: str) -> str:
    """A number and its noun: 1 item, 2 items."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def lasted(seconds: float) -> str:
    """A time as a person reads it."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def steps(seconds: Mapping[str, float]) -> str:
    """The whole time, and the steps that took a noticeable part of it."""
    total = seconds.get("total", sum(seconds.values()))
    parts = [f"{name} {lasted(value)}" for name, value in seconds.items()
             if name != "total" and value >= total / 100]  # fmt: skip
    return f"{lasted(total)} ({', '.join(parts)})" if parts else lasted(total)


def _reply(reply: "Answer | Absent", timed: Sequence[str]) -> Iterator[Text]:
    yield Text(shown(reply.item))
    if isinstance(reply, Absent):
        yield from (Text("not held", "red"), *[Text("-", "dim")] * (4 + len(timed)))
        return
    size = extent(reply)
    yield Text(shown(reply.table))
    yield from (Text(f"{count:,}") for count in (size.items, size.tables, size.triples, size.hops))
    yield from (Text(f"{reply.seconds.get(step, 0.0):.3f}") for step in timed)


def _headline(summary: "Summary") -> Text:
    if not summary.committed:
        return Text("Nothing new came in; what is held is as it was before.", "bold")
    ended = f", {counted(summary.ended, 'triple')} ended" if summary.ended else ""
    new = f"{counted(summary.new_triples, 'new triple')}, {counted(summary.new_items, 'new item')}"
    return Text(f"Generation {summary.generation}: {new}{ended}.", "bold")


def _brought(summary: "Summary") -> Iterator[tuple[str, str]]:
    yield "triples", f"{summary.triples:,} held"
    yield "items", f"{summary.items:,} held"
    yield "tables", names_of(summary.tables)
    components = counted(summary.components, "component")
    yield "cut into", f"{components}, {counted(summary.sets, 'set')}, " + (
        "1 set dependency" if summary.set_dependencies == 1
        else f"{summary.set_dependencies:,} set dependencies"
    )  # fmt: skip
    if summary.duplicates:
        yield "duplicates", f"{counted(summary.duplicates, 'row')} said what was known already"
    if summary.rejected:
        where = f", kept in {shown(str(summary.rejects))}" if summary.rejects else ""
        yield "rejected", f"{counted(summary.rejected, 'row')} put aside{where}"
        yield from rejected(summary.first_rejects, summary.rejected)
    if summary.two_tables:
        items = counted(summary.two_tables, "item")
        yield "two tables", f"{items} named with more than one table; the most frequent one holds"
    yield "size on disk", quantity(summary.bytes_on_disk, "bytes")
    yield "time", steps(summary.seconds)
    yield "memory", f"{summary.peak_memory_mb:,} MB at most"


def rejected(first: "Sequence[Reject]", count: int) -> Iterator[tuple[str, str]]:
    """The first of so many rows that were put aside, as further lines of a fact."""
    for reject in first:
        yield "", f"{shown(reject.file)}, row {reject.row:,}: {shown(reject.reason)}"
    if first and count > len(first):
        yield "", f"… {count - len(first):,} more"


def _held(status: "Status") -> Iterator[tuple[str, str]]:
    yield "warehouse", shown(status.warehouse)
    if status.generation is None:
        yield "generation", "none yet; begin with provhouse ingest FILES"
    else:
        yield "generation", f"{status.generation:,}"
        for name in ("triples", "items", "components", "sets", "set_dependencies"):
            yield name.replace("_", " "), f"{getattr(status, name):,}"
        if status.erased:
            yield "erased", f"{status.erased:,} of the items"
        worth = f"; {status.needed:,} would do: run provhouse compact" if status.compact else ""
        yield "partitions", f"{status.partitions:,}{worth}"
    yield "neo4j", status.neo4j or "not up; a command that needs it starts it"
    if status.server:
        yield "server", status.server


def names_of(names: Sequence[str], most: int = 8) -> str:
    """How many names there are, and the first of them."""
    if not names:
        return "none named"
    listed = ", ".join(shown(name, 60) for name in names[:most])
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{len(names):,}: {listed}{more}"


def quantity(count: float, unit: str) -> str:
    """So many bytes or anything else, in three digits or so."""
    if unit == "bytes":
        for larger, power in (("GB", 9), ("MB", 6), ("kB", 3)):
            if count >= 10**power:
                return f"{count / 10**power:.1f} {larger}"
    return f"{count:,.0f} {unit}"


def _cell(value: object) -> Text:
    if value is None:
        return Text("-", "dim")
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return Text(shown(value))

"""The demo's words and tables, for a person who knows no theory."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import story
from rich.console import Console
from rich.table import Table
from rich.text import Text

from provhouse.model.answer import Answer
from provhouse.output.layout import grid
from provhouse.output.phrases import counted, duration

BAR = 40
METHODS = {
    "rq": "steps back, with a look-up for each",
    "ccprov": "takes all that is connected first",
    "csprov": "asks Neo4j first what can matter",
}


class Printer:
    """Says things on one console; ``command`` is how the user calls provhouse by hand."""

    def __init__(self, console: Console, command: str) -> None:
        self._console = console
        self.command = command

    def heading(self, text: str) -> None:
        """The title of a part."""
        self._console.print(f"\n{text}", style="bold underline")

    def say(self, *sentences: str) -> None:
        """A paragraph."""
        self._console.print(" ".join(sentences))

    def prompt(self, arguments: str) -> None:
        """What the user can type for the same."""
        self._console.print(f"$ {self.command} {arguments}", style="cyan", soft_wrap=True)

    def _show(self, table: Table) -> None:
        self._console.print()
        self._console.print(table)
        self._console.print()

    def windiest_days(self, lines: Sequence[story.Row]) -> None:
        """The part of the report that surprises."""
        table = grid(
            "airport", "its windiest day", right=("flights", "cancelled", "mean delay", "mean wind")
        )
        for number, line in enumerate(lines):
            table.add_row(
                str(line["name"]),
                str(line["subject"]),
                str(line["flights"]),
                str(line["cancelled"]),
                f"{story.number(line, 'delay'):.0f} min",
                f"{story.number(line, 'wind'):.1f} mph",
                style="bold yellow" if not number else "",
            )
        self._show(table)

    def lineage(self, lineage: Answer) -> None:
        """How much a figure derives from, and from which sources."""
        counts = story.by_table(lineage)
        sources = [
            counted(counts[table], row) for table, row in story.SOURCES.items() if table in counts
        ]
        self.say(
            f"{lineage.item} comes from {lineage.items.num_rows:,} rows of {len(counts)} tables,",
            f"over {counted(lineage.triples.num_rows, 'step')}. Where the data came in, these are",
            f"{', '.join(sources)}.",
        )

    def readings(self, readings: story.Readings) -> None:
        """The readings in the order of time, as bars."""
        table = grid("weather reading", right=("wind",))
        table.add_column("")
        most = readings.wind[readings.strongest]
        for name, wind in sorted(readings.wind.items()):
            bar = "█" * max(1, round(BAR * wind / most)) if wind else ""
            loud = readings.stands_out and name == readings.strongest
            table.add_row(name, f"{wind:,.1f} mph", bar, style="bold red" if loud else "")
        self._show(table)

    def path(self, hops: Sequence[story.Hop]) -> None:
        """The value on its way, from the reading to the report."""
        table = grid("row", right=("wind",))
        table.add_column("made by")
        for hop in hops:
            table.add_row(hop.item, f"{hop.wind:,.1f} mph", hop.op or "as the source has it")
        self._show(table)

    def impact(self, impact: Answer) -> None:
        """How much a source record reached."""
        counts = story.by_table(impact)
        table = grid("table", right=("rows reached",))
        for name, count in counts.items():
            table.add_row(name, f"{count:,}")
        self.say(f"{impact.item} reached {impact.items.num_rows:,} rows of {len(counts)} tables:")
        self._show(table)

    def methods(self, answers: Mapping[str, tuple[Answer, Answer]]) -> None:
        """What each method read and took, when first asked and when asked again."""
        table = grid("method", right=("sets", "partitions", "triples", "first", "again"))
        table.add_column("how")
        for name, (first, again) in answers.items():
            table.add_row(
                name,
                f"{again.read.sets:,}" if again.read.sets else "-",
                f"{again.read.partitions:,}",
                f"{again.read.triples:,}",
                duration(first.seconds["total"]),
                duration(again.seconds["total"]),
                METHODS[name],
            )
        self._show(table)

    def commands(self, *entries: tuple[str, str]) -> None:
        """Things to try: what for, and what to type."""
        for number, (purpose, command) in enumerate(entries, 1):
            self._console.print(f"{number}. {purpose}")
            self._console.print(Text(f"   {command}", "cyan"), soft_wrap=True)


def program(warehouse: Path, executable: Path) -> str:
    """How to call provhouse on this warehouse from here."""
    return f"{near(executable.parent / 'provhouse')} --warehouse {near(warehouse)}"


def near(path: Path) -> str:
    """A path as one types it from here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

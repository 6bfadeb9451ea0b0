"""Print the demo's sentences and tables, for readers who are new to lineage."""

from collections.abc import Sequence
from pathlib import Path

import story
from rich.console import Console
from rich.table import Table
from rich.text import Text

from provhouse.model.answer import Answer
from provhouse.output.phrases import counted
from provhouse.output.sections import grid
from provhouse.query.consequences.what_if import FATES, WhatIf

BAR = 40


class Printer:
    """Prints to one console; ``command`` is what a user types to call provhouse."""

    def __init__(self, console: Console, command: str) -> None:
        self._console = console
        self.command = command

    def heading(self, text: str) -> None:
        """Print the title of a section."""
        self._console.print(f"\n{text}", style="bold underline")

    def say(self, *sentences: str) -> None:
        """Print a paragraph."""
        self._console.print(" ".join(sentences))

    def prompt(self, arguments: str) -> None:
        """Print a command that a user can type to get the same result."""
        self._console.print(f"$ {self.command} {arguments}", style="cyan", soft_wrap=True)

    def code(self, *lines: str) -> None:
        """Print lines of a program."""
        for line in lines:
            self._console.print(Text(line, "cyan"), soft_wrap=True)

    def _show(self, table: Table) -> None:
        self._console.print()
        self._console.print(table)
        self._console.print()

    def windiest_days(self, lines: Sequence[story.Row]) -> None:
        """Print the report's lines about the windiest days, and highlight the surprising one."""
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
        """Print how many rows a figure derives from, and how many of them are source rows."""
        counts = story.by_table(lineage)
        sources = [
            counted(counts[table], row) for table, row in story.SOURCES.items() if table in counts
        ]
        self.say(
            f"{lineage.item} derives from {lineage.items.num_rows:,} rows of {len(counts)} tables,",
            f"in {counted(lineage.triples.num_rows, 'step')}. The source rows among them are",
            f"{', '.join(sources)}.",
        )

    def readings(self, readings: story.Readings) -> None:
        """Print the weather readings in order of time, each with a bar for its wind."""
        table = grid("weather reading", right=("wind",))
        table.add_column("")
        most = readings.wind[readings.strongest]
        for name, wind in sorted(readings.wind.items()):
            bar = "█" * max(1, round(BAR * wind / most)) if wind else ""
            loud = readings.stands_out and name == readings.strongest
            table.add_row(name, f"{wind:,.1f} mph", bar, style="bold red" if loud else "")
        self._show(table)

    def path(self, hops: Sequence[story.Hop]) -> None:
        """Print the rows on a path from a weather reading to the report, each with its wind."""
        table = grid("row", right=("wind",))
        table.add_column("made by")
        for hop in hops:
            table.add_row(hop.item, f"{hop.wind:,.1f} mph", hop.op or "(source)")
        self._show(table)

    def impact(self, impact: Answer) -> None:
        """Print the number of rows that a source row affected, by table."""
        counts = story.by_table(impact)
        table = grid("table", right=("rows affected",))
        for name, count in counts.items():
            table.add_row(name, f"{count:,}")
        self.say(f"{impact.item} affected {impact.items.num_rows:,} rows of {len(counts)} tables:")
        self._show(table)

    def changes(self, changes: Sequence[story.Changed]) -> None:
        """Print the values of some rows before and after a deletion."""
        table = grid("row", right=("wind", "without the reading"))
        table.add_column("made by")
        for each in changes:
            after = f"{each.after:,.1f} mph"
            table.add_row(each.item, f"{each.before:,.1f} mph", after, each.op)
        self._show(table)

    def what_if(self, found: WhatIf) -> None:
        """Print the fates of the rows that a deletion reaches, by table."""
        table = grid("table", right=FATES)
        for row in found.tables.to_pylist():
            table.add_row(row["table"], *(f"{row[fate]:,}" for fate in FATES))
        self._show(table)

    def commands(self, *entries: tuple[str, str]) -> None:
        """Print a numbered list of purposes, each with the command to type."""
        for number, (purpose, command) in enumerate(entries, 1):
            self._console.print(f"{number}. {purpose}")
            self._console.print(Text(f"   {command}", "cyan"), soft_wrap=True)


def program(warehouse: Path, executable: Path) -> str:
    """Return the command that calls provhouse on a warehouse from the working directory."""
    return f"{near(executable.parent / 'provhouse')} --warehouse {near(warehouse)}"


def near(path: Path) -> str:
    """Return a path relative to the working directory, or the path itself if it is elsewhere."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)

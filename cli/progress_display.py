"""Show progress on standard error: a list of steps on a terminal, plain sentences in a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.progress import Progress as Bars
from rich.text import Text

from provhouse.model.progress import Progress, Silent
from provhouse.output.escape import shown
from provhouse.output.phrases import duration, quantity
from provhouse.output.table import console


class Display(Progress, Protocol):
    """A progress display that can clear the screen for a result."""

    def clear(self) -> None:
        """End the list of steps, to make room for a result. The next step begins a new list."""


@contextmanager
def progress_display(*, keep: bool = False) -> Iterator[Display]:
    """Yield a display for standard error; ``keep`` leaves the list of steps on the screen."""
    to = console(sys.stderr)
    if not to.is_terminal or to.is_dumb_terminal:
        yield SentenceDisplay(to)
        return
    with _bars(to, keep) as bars:
        steps = StepDisplay(bars)
        yield steps
        steps.end()  # a step that failed is not ticked off


class SentenceDisplay(Silent):
    """The display for a pipe. It prints sentences but no steps."""

    def __init__(self, to: Console) -> None:
        self._to = to

    def say(self, sentence: str) -> None:
        """Print a sentence."""
        self._to.print(shown(sentence), soft_wrap=True)

    def clear(self) -> None:
        """Do nothing: there is no list of steps to clear."""


class StepDisplay:
    """The display for a terminal: a line for each step, with its counts and its time."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars

    def begin(self, step: str) -> None:
        """Tick off the previous step and show the next step as running."""
        self.end()
        self._bars.start()
        self._bars.add_task(shown(step), total=None, note="", remaining=Remaining())

    def end(self) -> None:
        """Tick off the running step, if there is one."""
        for task in self._bars.tasks[-1:]:
            if not task.finished:
                self._bars.update(task.id, total=1, completed=1)

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Move the bar of the running step. The bar stays incomplete until the step ends."""
        for task in self._bars.tasks[-1:]:
            whole = max(total, done + 1)
            if done:
                task.fields["remaining"].add(task.elapsed or 0, done / whole)
            self._bars.update(task.id, completed=done, total=whole, unit=unit)

    def count(self, name: str, value: int) -> None:
        """Show a count beside the running step."""
        for task in self._bars.tasks[-1:]:
            known = {**task.fields.get("counts", {}), name: value}
            note = ", ".join(f"{number:,} {shown(what)}" for what, number in known.items())
            self._bars.update(task.id, counts=known, note=note)

    def say(self, sentence: str) -> None:
        """Print a sentence above the steps."""
        self._bars.console.print(shown(sentence))

    def clear(self) -> None:
        """Forget the steps shown so far. They stay on the screen only if ``keep`` was given."""
        self._bars.stop()
        for task in self._bars.tasks:
            self._bars.remove_task(task.id)


_SHOWN_LEFT = 0.5
"""The shortest remaining time shown, in seconds. A step may continue after its last report."""


class Remaining:
    """Estimates the total duration of a step from the reported fractions and their times.

    A step begins slowly. So the estimate ignores the time up to the first report, and the fraction
    that was done by then.
    """

    def __init__(self) -> None:
        self._reports: list[tuple[float, float]] = []
        """The seconds and the fraction of the first report, and of the latest larger one."""

    def add(self, seconds: float, part: float) -> None:
        """Report that the fraction ``part`` of the step, from 0 to 1, is done after ``seconds``."""
        if not self._reports or part > self._reports[-1][1]:
            self._reports[1:] = [(seconds, part)]

    def total_seconds(self) -> float | None:
        """Return the estimated duration of the whole step, or None before the second report."""
        if len(self._reports) < 2:
            return None
        (began, before), (seconds, part) = self._reports
        return seconds + (1 - part) * (seconds - began) / (part - before)


class _Time(ProgressColumn):
    """The column with the time, speed and remaining time of a step that takes over a second."""

    def render(self, task: Task) -> Text:
        seconds = task.finished_time if task.finished else task.elapsed
        if not seconds or seconds < 1:
            return Text("")
        parts = [duration(seconds)]
        if task.total and task.completed and not task.finished:
            if unit := task.fields.get("unit"):
                parts.append(f"{quantity(task.completed / seconds, unit)}/s")
            whole = task.fields["remaining"].total_seconds()
            if whole and whole - seconds >= _SHOWN_LEFT:
                parts.append(f"{duration(whole - seconds)} left")
        return Text(", ".join(parts), "dim")


def _bars(to: Console, keep: bool) -> Bars:
    return Bars(
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        _Time(),
        TextColumn("{task.fields[note]}", style="dim", markup=False),
        console=to,
        transient=not keep,
        redirect_stdout=False,
    )

"""Progress on a terminal as a list of steps with a bar, in a pipe as bare sentences."""

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

from provhouse.model.progress import Progress
from provhouse.output.escape import shown
from provhouse.output.table import console, lasted, quantity


class Display(Progress, Protocol):
    """A progress that can leave the screen to a result."""

    def clear(self) -> None:
        """Clear the screen until the next step begins."""


@contextmanager
def progress_display(*, keep: bool = False) -> Iterator[Display]:
    """Somebody to tell; ``keep`` leaves the list of steps on the screen at the end."""
    to = console(sys.stderr)
    if not to.is_terminal or to.is_dumb_terminal:
        yield SentenceDisplay(to)
        return
    with _bars(to, keep) as bars:
        steps = StepDisplay(bars)
        yield steps
        steps.end()  # a step that failed is not ticked off


class SentenceDisplay:
    """For a pipe: what happened, but not each step."""

    def __init__(self, to: Console) -> None:
        self._to = to

    def begin(self, step: str) -> None:
        """A pipe gets no steps."""

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """A pipe gets no bar."""

    def count(self, name: str, value: int) -> None:
        """The result has the counts."""

    def say(self, sentence: str) -> None:
        """One line."""
        self._to.print(shown(sentence), soft_wrap=True)

    def clear(self) -> None:
        """There is nothing on the screen."""


class StepDisplay:
    """For a terminal: a line for each step, with its counts and its time."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars

    def begin(self, step: str) -> None:
        """Tick off the step before and show the next one at work."""
        self.end()
        self._bars.start()
        self._bars.add_task(shown(step), total=None, note="", remaining=Remaining())

    def end(self) -> None:
        """Tick off the step that runs, if there is one."""
        for task in self._bars.tasks[-1:]:
            if not task.finished:
                self._bars.update(task.id, total=1, completed=1)

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Move the bar of the step that runs; only its end says that it is finished."""
        for task in self._bars.tasks[-1:]:
            whole = max(total, done + 1)
            if done:
                task.fields["remaining"].add(task.elapsed or 0, done / whole)
            self._bars.update(task.id, completed=done, total=whole, unit=unit)

    def count(self, name: str, value: int) -> None:
        """Write the count behind the step that runs."""
        for task in self._bars.tasks[-1:]:
            known = {**task.fields.get("counts", {}), name: value}
            note = ", ".join(f"{number:,} {shown(what)}" for what, number in known.items())
            self._bars.update(task.id, counts=known, note=note)

    def say(self, sentence: str) -> None:
        """A line above the steps."""
        self._bars.console.print(shown(sentence))

    def clear(self) -> None:
        """Forget the steps so far; those of a transient list vanish."""
        self._bars.stop()
        for task in self._bars.tasks:
            self._bars.remove_task(task.id)


class Remaining:
    """Told which part of a step is done after so many seconds, it tells how long the whole takes.

    What was done at the first sign is not counted, nor the time until then: a step begins slowly.
    """

    def __init__(self) -> None:
        self._signs: list[tuple[float, float]] = []
        """The first sign, and the last one that told of more."""

    def add(self, seconds: float, part: float) -> None:
        """After so many seconds this part, up to 1, is done."""
        if not self._signs or part > self._signs[-1][1]:
            self._signs[1:] = [(seconds, part)]

    def total_seconds(self) -> float | None:
        """The seconds that the step takes in all; None until it was seen to go on."""
        if len(self._signs) < 2:
            return None
        (began, before), (seconds, part) = self._signs
        return seconds + (1 - part) * (seconds - began) / (part - before)


class _Time(ProgressColumn):
    """Seconds of a step, once it takes long enough to be noticed; how fast, and what is left."""

    def render(self, task: Task) -> Text:
        seconds = task.finished_time if task.finished else task.elapsed
        if not seconds or seconds < 1:
            return Text("")
        parts = [lasted(seconds)]
        if task.total and task.completed and not task.finished:
            if unit := task.fields.get("unit"):
                parts.append(f"{quantity(task.completed / seconds, unit)}/s")
            if whole := task.fields["remaining"].total_seconds():
                parts.append(f"{lasted(max(whole - seconds, 0))} left")
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

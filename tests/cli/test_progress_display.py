"""Progress is shown as steps on a terminal, and as sentences in a pipe."""

import io
import sys
from contextlib import suppress

import pytest
from rich.console import Console

from provhouse.cli.progress_display import Remaining, StepDisplay, _bars, progress_display
from provhouse.model.progress import Progress


def work(progress: Progress) -> None:
    """Report two steps and a sentence."""
    progress.begin("read [all]")
    progress.advance(1, 2)
    progress.count("triples", 1_200)
    progress.count("rejects", 3)
    progress.say("Starting Neo4j\x07")
    progress.begin("number")


def test_a_pipe_gets_only_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_display() as progress:
        work(progress)
        progress.clear()
    assert capsys.readouterr().err == "Starting Neo4j\\x07\n"


def on_terminal(keep: bool, clear: bool = False) -> str:
    """Return everything that is written to a terminal, including the codes that move its cursor."""
    to = Console(file=io.StringIO(), force_terminal=True, color_system=None, width=90)
    with _bars(to, keep) as bars:
        steps = StepDisplay(bars)
        work(steps)
        if clear:
            steps.clear()
            assert not bars.live.is_started
            steps.begin("next")
        steps.end()
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


def test_a_terminal_gets_steps_with_counts() -> None:
    text = on_terminal(keep=True)
    read, number = text.split("\x1b[2K")[-1].splitlines()[:2]
    assert "Starting Neo4j\\x07" in text
    assert read.startswith("✓ read [all]")
    assert read.rstrip().endswith("1,200 triples, 3 rejects")
    assert number.startswith("✓ number")


class Timed:
    """A display of steps on a terminal. The test sets its clock, in seconds."""

    def __init__(self) -> None:
        self.clock = 0.0
        self.file = io.StringIO()
        to = Console(file=self.file, force_terminal=True, color_system=None, width=110)
        self.bars = _bars(to, keep=True)
        self.bars.get_time = lambda: self.clock
        self.steps = StepDisplay(self.bars)


def test_a_long_step_shows_its_speed_and_remaining_time() -> None:
    shown = Timed()
    with shown.bars:
        shown.steps.begin("read")
        shown.clock = 4.0  # the time until the first report does not count
        shown.steps.advance(100_000_000, 1_000_000_000, "bytes")
        shown.bars.refresh()
        shown.clock = 10.0
        shown.steps.advance(250_000_000, 1_000_000_000, "bytes")
        shown.bars.refresh()
        shown.clock = 12.0
        shown.steps.end()
    assert "10.0 s, 25.0 MB/s, 30.0 s left" in shown.file.getvalue()
    assert "left" not in shown.file.getvalue().split("\x1b[2K")[-1]


def test_a_step_whose_parts_are_all_done_shows_no_remaining_time() -> None:
    shown = Timed()
    with shown.bars:
        shown.steps.begin("load")
        for at in range(1, 5):
            shown.clock = 2.0 * at
            shown.steps.advance(at, 4)
        shown.clock = 30.0
        shown.bars.refresh()
    assert "30.0 s" in shown.file.getvalue()
    assert " 0 ms left" not in shown.file.getvalue()


def test_the_steps_are_cleared_before_the_result() -> None:
    text = on_terminal(keep=False, clear=True)
    assert "next" in text
    assert "read" not in text.split("next")[1]


def test_a_step_that_fails_is_not_ticked_off(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with suppress(ValueError), progress_display(keep=True) as progress:
        progress.begin("read")
        raise ValueError
    assert "read" in terminal.getvalue()
    assert "✓" not in terminal.getvalue()


def test_the_duration_is_estimated_from_the_second_report_on() -> None:
    step = Remaining()
    step.add(6.0, 0.1)
    assert step.total_seconds() is None  # one report says nothing about the speed
    step.add(8.0, 0.5)
    assert step.total_seconds() == 10.5


def test_a_report_without_an_advance_is_ignored() -> None:
    step = Remaining()
    step.add(1.0, 0.1)
    step.add(2.0, 0.2)
    step.add(2.9, 0.2)
    assert step.total_seconds() == 10.0

"""Exit statuses and messages of commands that fail or are interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.cli.failures import guarded
from provhouse.model import errors

BEGIN = """
import sys, time
from pathlib import Path
from provhouse.cli.failures import guarded
def work():
    try:
        {body}
    finally:
        print("cleaned up", file=sys.stderr, flush=True)
sys.exit(guarded(work, lambda: Path({logs!r})))
"""


def command(body: str, logs: Path) -> subprocess.Popen[str]:
    """Start a process that runs ``body`` inside ``guarded``, as commands do."""
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN.format(body=body, logs=str(logs))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "kind",
    [
        errors.UsageError,
        errors.NotFound,
        errors.BadInput,
        errors.Unavailable,
        errors.Busy,
        errors.Damaged,
    ],
)
def test_a_known_error_is_printed_in_three_lines(
    kind: type[errors.ProvhouseError], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        raise kind("Cannot open x", "It is \x1b[31mred", "Paint it")

    assert guarded(work, lambda: tmp_path) == kind.exit_status
    assert capsys.readouterr().err == (
        "provhouse: Cannot open x\n           It is \\x1b[31mred\n           Paint it\n"
    )
    assert not list(tmp_path.iterdir())


def test_the_traceback_of_a_bug_is_written_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        raise KeyError("oh")

    assert guarded(work, lambda: tmp_path / "logs") == 1
    (file,) = (tmp_path / "logs").iterdir()
    said = capsys.readouterr().err
    assert "bug in provhouse: KeyError: 'oh'" in said
    assert str(file) in said
    assert "Traceback" not in said
    assert 'raise KeyError("oh")' in file.read_text()


def test_two_bugs_within_a_second_are_in_two_files(tmp_path: Path) -> None:
    for _ in range(2):
        assert guarded(lambda: [][1], lambda: tmp_path) == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_a_traceback_goes_to_a_temporary_file_if_the_logs_are_unwritable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert guarded(lambda: [][1], lambda: tmp_path / "file" / "logs") == 1
    assert len(list(tmp_path.glob("provhouse-defect-*.txt"))) == 1


def test_a_full_disk_is_not_a_bug(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", BEGIN.format(body="print('x')", logs=str(tmp_path))],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 5
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_full_disk_is_recognized_by_its_message(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """When a disk is full, the errors of numpy and delta-rs have no errno."""
    for said in (
        "800 requested and 96 written",
        "Generic error\nNo space left on device (os error)",
    ):

        def work(said: str = said) -> None:
            raise OSError(said)

        assert guarded(work, lambda: tmp_path) == 5
        assert "No space left on device" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_interrupts_the_command(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    process = command("print('up', flush=True); time.sleep(60)", tmp_path)
    assert process.stdout
    assert process.stdout.readline() == "up\n"
    process.send_signal(number)
    _, said = process.communicate(timeout=20)
    assert process.returncode == status
    assert said.splitlines() == [
        "cleaned up",
        "provhouse: Interrupted; the warehouse is unchanged since its last commit.",
    ]


def test_an_error_during_an_interruption_counts_as_the_interruption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise ConnectionError("the server ended first")

    assert guarded(work, lambda: tmp_path) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    process = command("[print('x' * 1000, flush=True) for _ in range(10**6)]", tmp_path)
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr
    with process.stderr:
        assert process.stderr.read() == "cleaned up\n"
    assert process.wait(20) == 128 + signal.SIGPIPE


def test_a_broken_connection_is_not_a_closed_pipe(tmp_path: Path) -> None:
    process = command("raise BrokenPipeError(32, 'gone')", tmp_path)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "BrokenPipeError" in said


def test_signal_handlers_are_restored(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert guarded(lambda: os.getpid(), lambda: tmp_path) == 0
    assert signal.getsignal(signal.SIGTERM) == before


def test_logs_of_libraries_are_not_printed(tmp_path: Path) -> None:
    process = command("__import__('logging').exception('the other side is gone')", tmp_path)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (0, "cleaned up\n")


def test_an_error_is_broken_between_words_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def work() -> None:
        raise errors.NotFound("one two three " * 5 + "end", f"/{'x' * 60}/y", "Do this")

    guarded(work, lambda: tmp_path)
    assert len(capsys.readouterr().err.splitlines()) == 3
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    guarded(work, lambda: tmp_path)
    lines = capsys.readouterr().err.splitlines()
    assert [len(line) <= 40 for line in lines] == [True] * 3 + [False, True]
    assert {word for line in lines for word in line.split()} == {
        "provhouse:", "one", "two", "three", "end", f"/{'x' * 60}/y", "Do", "this",
    }  # fmt: skip

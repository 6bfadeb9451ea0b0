"""The real command, run as a separate process, and a check that it leaves nothing behind.

The output of the command goes to pipes or to a pseudo-terminal.
"""

import fcntl
import os
import re
import secrets
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from helpers.warm import Warm

PROGRAM = Path(sys.executable).with_name("provhouse")
MARK = "STARTED_BY_TEST"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NOTES = ("Starting Neo4j", "Waiting for another command", "Another program has taken a port")
"""The beginnings of notes that a failing command may print in addition to its error message."""


@dataclass(frozen=True)
class Done:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The only message of a command that failed: problem, cause, remedy."""
        lines = [line for line in self.err.splitlines() if not line.startswith(NOTES)]
        assert lines, "the command printed no message"
        assert lines[0].startswith("provhouse: "), self.err
        assert all(line.startswith(" " * 11) for line in lines[1:]), self.err
        return "\n".join(line[11:] for line in lines)


@dataclass
class Command:
    """A runner of ``provhouse`` on one warehouse. An environment variable marks its processes."""

    warehouse: Path
    home: Path | None = None
    """The Neo4j home. None means the default: a folder of the warehouse."""
    settings: dict[str, str] = field(default_factory=dict)
    """Additional environment variables; an empty string removes a variable."""
    by: "Warm | None" = None
    """A ``Warm``, which runs commands on a running Spark. With None, each command is a new process.

    Tests use a ``Warm`` unless they are about the start or the end of a command.
    """
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    kept: bool = False
    """Whether Neo4j and the server stay up: ``up`` was run, and ``down`` was not run after it."""

    def environment(self) -> dict[str, str]:
        """Return the command's environment: that of the test, plus the mark and the settings."""
        given = {
            **os.environ,
            MARK: self.mark,
            "PROVHOUSE_WAREHOUSE": str(self.warehouse),
            "PROVHOUSE_NEO4J_HOME": str(self.home or ""),
            "PROVHOUSE_NEO4J_MEMORY": "512m",
            "PROVHOUSE_SPARK_MEMORY": "1g",
            "PROVHOUSE_IDLE_MINUTES": "0",
            "TERM": "xterm",
            "COLUMNS": "120",
            **self.settings,
        }
        return {name: value for name, value in given.items() if value}

    def start(self, *arguments: object) -> "subprocess.Popen[str]":
        """Start the command with pipes for its output."""
        self._note_kept(arguments)
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def _note_kept(self, arguments: Sequence[object]) -> None:
        self.kept = {"up": True, "browser": True, "down": False}.get(str(arguments[0]), self.kept)

    def keep_neo4j(self) -> None:
        """Start Neo4j and keep it up. The server, which ``up`` would also start, is not started."""
        keep = "from provhouse.cypher import server; from provhouse.model.progress import Silent; "
        home = self.home or self.warehouse / "neo4j"
        up = f"import pathlib; server.up(pathlib.Path({str(home)!r}), '512m', Silent())"
        subprocess.run([sys.executable, "-c", keep + up], env=self.environment(), check=True)
        self.kept = True

    def __call__(self, *arguments: object, status: int = 0) -> Done:
        """Run the command; check its exit status and that it leaves nothing behind."""
        if self.by is None:
            return self.ended(self.start(*arguments), status)
        self._note_kept(arguments)
        return self._checked(self.by.start(self.environment(), *arguments).awaits().done, status)

    def ended(self, process: "subprocess.Popen[str]", status: int = 0) -> Done:
        """Wait for a command to end; check its exit status and that it leaves nothing behind."""
        out, err = process.communicate(timeout=300)
        return self._checked(Done(process.returncode, out, err), status)

    def _checked(self, done: Done, status: int) -> Done:
        assert done.status == status, done
        assert "Traceback" not in done.out + done.err
        assert "Exception" not in done.err
        self.assert_nothing_left()
        return done

    def running(self, words: str = "") -> list[psutil.Process]:
        """Return the processes that have the mark and whose command line contains ``words``."""
        return [one for one in psutil.process_iter() if self._carries(one, words)]

    def _carries(self, process: psutil.Process, words: str) -> bool:
        with suppress(psutil.Error):
            marked = process.environ().get(MARK) == self.mark
            return marked and words in " ".join(process.cmdline())
        return False

    def assert_nothing_left(self) -> None:
        """Fail if a staging folder exists, or if processes run that ``up`` did not start.

        ``up`` starts Neo4j, and the server with its Spark.
        """
        left = [one for one in self.running() if not (self.kept and _is_kept(one))]
        assert [one.cmdline()[:3] for one in left if one.is_running()] == []
        assert not (self.warehouse / "staging").exists()

    def end_all(self) -> None:
        """Kill the processes that a failed test left running."""
        for one in self.running():
            with suppress(psutil.Error):
                one.kill()

    def on_terminal(self, *arguments: object) -> "Terminal":
        """Start the command on a new terminal."""
        return Terminal(self, arguments)


def _is_kept(process: psutil.Process) -> bool:
    """Return whether a process is Neo4j, the server, or a process that the server started."""
    words = " ".join(process.cmdline())
    above = [" ".join(one.cmdline()) for one in process.parents()]
    return "CommunityEntryPoint" in words or any("provhouse.serve" in w for w in [words, *above])


class Terminal:
    """A command on a pseudo-terminal, with the output that a person would see."""

    def __init__(self, command: Command, arguments: Sequence[object]) -> None:
        self._command = command
        self._master, slave = os.openpty()
        self._seen = ""
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            env=command.environment(),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):  # reading past the end of a terminal is an error
            while piece := os.read(self._master, 65536):
                self._seen += piece.decode(errors="replace")
        os.close(self._master)

    @property
    def seen(self) -> str:
        """All output so far, without escape sequences for colours and cursor movement."""
        return ESCAPES.sub("", self._seen)

    def awaits(self, moment: "str | Callable[[], object]", seconds: float = 240) -> None:
        """Wait until the terminal shows a string, or until a condition holds."""
        deadline = time.monotonic() + seconds
        holds = (lambda: moment in self.seen) if isinstance(moment, str) else moment
        while not holds():
            assert self.process.poll() is None, self.seen
            assert time.monotonic() < deadline, self.seen
            time.sleep(0.01)

    def ctrl_c(self) -> None:
        """Press Ctrl-C, which sends a signal to every process in the foreground."""
        os.write(self._master, b"\x03")

    def ended(self, status: int) -> str:
        """Wait until the command ends, check its exit status, and return all its output."""
        self.process.wait(300)
        self._reader.join(60)
        assert self.process.returncode == status, self.seen
        assert "Traceback" not in self.seen
        assert "Exception" not in self.seen
        if status != -signal.SIGKILL:
            self._command.assert_nothing_left()
        return self.seen

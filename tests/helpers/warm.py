"""Fork commands from a process with a running Spark, so that each takes only a second or two.

A child differs from the real command only in its start. It parses its own arguments, takes its own
locks, and can be stopped and killed at a fault point. Spark outlives the child, and continues the
jobs of the child.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from helpers.command import Done
from provhouse.model.fault_points import VARIABLE

KEEPER = Path(__file__).with_name("warm_keeper.py")
ENDS = (".out", ".err")


@dataclass
class Child:
    """A command that was started as a child process."""

    keeper: "Warm"
    pid: int
    output: Path
    """The path, without suffix, of the two files with the command's output and its errors."""
    stopped: bool = False
    status: int | None = None

    def awaits(self, seconds: float = 120) -> "Child":
        """Wait until the command has ended, or until it stops at a fault point."""
        deadline = time.monotonic() + seconds
        while self.status is None and not self.stopped:
            assert time.monotonic() < deadline, "the command takes too long"
            self.keeper.receive()
        return self

    def resume(self) -> "Child":
        """Resume the command, which is stopped at a fault point."""
        self.stopped = False
        os.kill(self.pid, signal.SIGCONT)
        return self

    def kill(self) -> "Child":
        """Kill the command, as the operating system does when memory is short."""
        self.stopped = False
        os.kill(self.pid, signal.SIGKILL)
        return self.awaits()

    @property
    def done(self) -> Done:
        """The exit status and the output of the command, which must have ended."""
        assert self.status is not None
        out, err = (self.output.with_suffix(end).read_text(encoding="utf-8") for end in ENDS)
        return Done(self.status, out, err)


@dataclass
class Warm:
    """A context manager that starts commands as children of a process with a running Spark."""

    folder: Path
    """The folder for the output of the commands."""
    _process: "subprocess.Popen[str]" = field(init=False)
    _children: dict[int, Child] = field(default_factory=dict)
    """The running children, by process id.

    Ended children are removed, because the system may use their ids again.
    """
    _started: int = 0

    def __enter__(self) -> "Warm":
        self.folder.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, KEEPER, self.folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        for child in [*self._children.values()]:
            child.kill()
        self._process.communicate(timeout=60)

    def start(
        self,
        environment: dict[str, str],
        *arguments: object,
        fault: str = "",
        folder: Path | None = None,
    ) -> Child:
        """Start a command with exactly the given environment.

        ``folder`` is the working directory of the command. By default, it is the working directory
        of the tests.
        """
        self._started += 1
        output = self.folder / f"{self._started}"
        for end in ENDS:  # the child may be killed before it opens the files
            output.with_suffix(end).touch()
        asked = {
            "output": str(output),
            "arguments": [*map(str, arguments)],
            "environment": {**environment, VARIABLE: fault},
            "folder": str(folder or Path.cwd()),
        }
        assert self._process.stdin
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        while "status" in (message := self._line()):
            self._update(message)  # the message is about another child
        pid = message["pid"]
        child = self._children[pid] = Child(self, pid, output)
        return child

    def receive(self) -> None:
        """Wait for the next report about a child."""
        self._update(self._line())

    def _update(self, message: dict[str, Any]) -> None:
        child = self._children[message["pid"]]
        child.stopped, child.status = message["status"] is None, message["status"]
        if child.status is not None:
            del self._children[child.pid]

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the process with Spark has ended"
        return dict(json.loads(line))

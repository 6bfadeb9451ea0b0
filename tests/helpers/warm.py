"""Commands run by children of a process in which Spark is up, so that each takes a second or two.

A child is the command in all but its start: it parses its own arguments, takes its own locks, and
can be stopped at a fault point and killed there. Spark outlives it, with what it was doing.
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
from provhouse.model.faults import VARIABLE

KEEPER = Path(__file__).with_name("warm_keeper.py")


@dataclass
class Child:
    """One command."""

    keeper: "Warm"
    pid: int
    folder: Path
    stopped: bool = False
    status: int | None = None

    def awaits(self, seconds: float = 120) -> "Child":
        """Wait until it has ended, or stands still at a fault point."""
        deadline = time.monotonic() + seconds
        while self.status is None and not self.stopped:
            assert time.monotonic() < deadline, "it should have ended"
            self.keeper.listen()
        return self

    def goes_on(self) -> "Child":
        """Let it go on that stands still."""
        self.stopped = False
        os.kill(self.pid, signal.SIGCONT)
        return self

    def killed(self) -> "Child":
        """End it as the system does when memory is short."""
        self.stopped = False
        os.kill(self.pid, signal.SIGKILL)
        return self.awaits()

    @property
    def done(self) -> Done:
        """How it ended."""
        assert self.status is not None
        paths = (self.folder / f"{self.pid}.{name}" for name in ("out", "err"))
        out, err = (path.read_text(encoding="utf-8") for path in paths)
        return Done(self.status, out, err)


@dataclass
class Warm:
    """Starts such children; a context manager."""

    folder: Path
    """Where they write what they say."""
    _process: "subprocess.Popen[str]" = field(init=False)
    _children: dict[int, Child] = field(default_factory=dict)

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
        for child in self._children.values():
            if child.status is None:
                child.killed()
        self._process.communicate(timeout=60)

    def start(
        self,
        environment: dict[str, str],
        *arguments: object,
        fault: str = "",
        folder: Path | None = None,
    ) -> Child:
        """Begin a command, in this folder or where the tests run; it has this environment alone."""
        asked = {
            "arguments": [*map(str, arguments)],
            "environment": {**environment, VARIABLE: fault},
            "folder": str(folder or Path.cwd()),
        }
        assert self._process.stdin
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        pid = self._line()["pid"]
        return self._children.setdefault(pid, Child(self, pid, self.folder))

    def listen(self) -> None:
        """Hear what has become of a child."""
        told = self._line()
        child = self._children[told["pid"]]
        child.stopped, child.status = told["status"] is None, told["status"]

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, "the keeper should live"
        return dict(json.loads(line))

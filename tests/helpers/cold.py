"""The real command as a separate process with its own Spark. A fault point can stop it."""

import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from helpers.command import PROGRAM, Done
from provhouse.model.fault_points import VARIABLE


@dataclass
class Started:
    """A started command, with the same interface as ``helpers.warm.Child``."""

    process: "subprocess.Popen[str]"
    stopped: bool = False
    status: int | None = None
    done: Done = field(default_factory=lambda: Done(0, "", ""))
    _still: "psutil.Process | None" = None

    @property
    def pid(self) -> int:
        """The id of the command's process."""
        return self.process.pid

    def awaits(self, seconds: float = 240) -> "Started":
        """Wait until the command ends, or until it or its worker stops at a fault point."""
        deadline = time.monotonic() + seconds
        while not self.stopped and self.process.poll() is None:
            assert time.monotonic() < deadline, "the command takes too long"
            self._still = next(filter(_stands, self._family()), None)
            self.stopped = self._still is not None
            time.sleep(0.02)
        if not self.stopped:
            out, err = self.process.communicate(timeout=60)
            self.status, self.done = (
                self.process.returncode,
                Done(self.process.returncode, out, err),
            )
        return self

    def _family(self) -> list[psutil.Process]:
        with suppress(psutil.Error):
            own = psutil.Process(self.pid)
            return [own, *own.children(recursive=True)]
        return []

    def resume(self) -> "Started":
        """Resume the process that is stopped at a fault point."""
        self.stopped = False
        with suppress(psutil.Error):
            if self._still:
                self._still.resume()
        return self

    def kill(self) -> "Started":
        """Kill the stopped process, and wait until the command ends.

        The stopped process may be a worker of the command.
        """
        self.stopped = False
        with suppress(psutil.Error):
            (self._still or psutil.Process(self.pid)).kill()
        return self.awaits()

    def kill_spark(self) -> "Started":
        """Kill the JVM of the command's Spark, and then resume the command."""
        for one in self._family():
            with suppress(psutil.Error):
                if "pyspark-shell" in one.cmdline():
                    one.kill()
        return self.resume()


def _stands(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return str(process.status()) == psutil.STATUS_STOPPED
    return False


@dataclass
class Cold:
    """A factory that starts each command as a separate process with its own Spark."""

    def start(self, environment: dict[str, str], *arguments: object, fault: str = "") -> Started:
        """Start a command.

        If ``fault`` is not empty, arm the fault point of this name in the command.
        """
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)],
            env={**environment, "PATH": _path(), VARIABLE: fault, "PROVHOUSE_SPARK_MEMORY": "1g"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return Started(process)


def _path() -> str:
    return f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"

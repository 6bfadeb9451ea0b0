"""Run a standalone Spark cluster on this machine: a master and workers from PySpark's own scripts.

Each worker has a working folder and a folder for temporary files of its own. Where the rights
allow, it also has a mount namespace in which ``/tmp`` is its own, so that it shares only the given
folders with the driver.
"""

import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType

import psutil
import pyspark

from provhouse.runtime.java import java

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
HOST = "127.0.0.1"
SECONDS = 60
"""The longest time that a start or an end may take."""


class Cluster:
    """A context manager that runs a master and workers, with all their files in one folder.

    ``shared`` are the folders below ``/tmp`` that workers see as the driver does.
    """

    def __init__(self, folder: Path, shared: Sequence[Path], workers: int = 2) -> None:
        self._folder = folder
        self._shared = shared
        self._count = workers
        self._started = 0
        self.isolated = _can_isolate()
        """Whether workers see a ``/tmp`` of their own."""
        self.master = f"spark://{HOST}:{_free_port()}"
        self.workers: list[psutil.Process] = []
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Cluster":
        port = self.master.rpartition(":")[2]
        options = ("--host", HOST, "--port", port, "--webui-port", "0")
        try:
            self._start("master", [SPARK_CLASS, "org.apache.spark.deploy.master.Master", *options])
            _await_port(int(port))
            for _ in range(self._count):
                self.add_worker()
        except BaseException:
            self._kill_all()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._kill_all()

    def _kill_all(self) -> None:
        for process in self._processes[::-1]:
            if process.poll() is None:
                kill(psutil.Process(process.pid))
            process.wait()

    def add_worker(self, cores: int = 1, memory: str = "2g") -> psutil.Process:
        """Start a worker, and return its process."""
        self._started += 1
        name = f"worker-{self._started}"
        # With one address, Spark would take the workers for one machine, and have one read the
        # files of another directly.
        host = f"127.0.0.{self._started + 1}"
        command = [
            SPARK_CLASS, "org.apache.spark.deploy.worker.Worker", "--host", host,
            "--webui-port", "0", "--cores", cores, "--memory", memory,
            "--work-dir", self._folder / name / "work", self.master,
        ]  # fmt: skip
        worker = self._start(name, self._in_namespace(name, command), host)
        self.workers.append(worker)
        return worker

    def log(self, name: str) -> str:
        """Return what the master or a worker has printed."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _in_namespace(self, name: str, command: Sequence[object]) -> list[object]:
        """Return a command that runs another one with a ``/tmp`` of its own, if that is allowed."""
        if not self.isolated:
            return list(command)
        own = self._folder / name / "tmp"
        seen = [*self._shared, Path(sys.prefix), self._folder / name]
        script = []
        for folder in seen:
            if folder.is_relative_to("/tmp"):
                inside = own / folder.relative_to("/tmp")
                inside.mkdir(parents=True, exist_ok=True)
                script.append(shlex.join(["mount", "--bind", str(folder), str(inside)]))
        script.append(shlex.join(["mount", "--rbind", str(own), "/tmp"]))
        script.append(f"cd {shlex.quote(str(self._folder / name))}")
        script.append('exec "$@"')
        return ["unshare", "--mount", "sh", "-c", " && ".join(script), "sh", *command]

    def _start(self, name: str, command: Sequence[object], host: str = HOST) -> psutil.Process:
        temporary = self._folder / name / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))},
            "JAVA_HOME": str(java().parent.parent),
            "SPARK_LOCAL_IP": host,
            "SPARK_LOCAL_DIRS": "/tmp" if self._hides(name) else str(temporary),
            "TMPDIR": "/tmp" if self._hides(name) else str(temporary),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=self._folder / name,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return psutil.Process(process.pid)

    def _hides(self, name: str) -> bool:
        return self.isolated and name != "master"


def kill(process: psutil.Process) -> None:
    """Kill a process and all its descendants, and wait for their end."""
    with suppress(psutil.NoSuchProcess):
        family = [process, *process.children(recursive=True)]
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, SECONDS)


def _can_isolate() -> bool:
    """Return whether workers can have mount namespaces with a ``/tmp`` of their own."""
    if tempfile.gettempdir() != "/tmp":
        return False
    try:
        tried = subprocess.run(
            ["unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"], capture_output=True
        )
    except OSError:
        return False
    return tried.returncode == 0


def _free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port


def _await_port(port: int) -> None:
    late = time.monotonic() + SECONDS
    while True:
        with closing(socket.socket()) as tried:
            if not tried.connect_ex((HOST, port)):
                return
        if time.monotonic() > late:
            raise TimeoutError(f"nothing listens at port {port}")
        time.sleep(0.05)

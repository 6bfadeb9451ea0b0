"""Run a standalone Spark cluster on this machine: a master and workers from PySpark's own scripts.

Each worker has a working folder and a folder for temporary files of its own. If this process has
the rights, each worker also gets a mount namespace with its own ``/tmp``, so that it shares only
the given folders with the driver. If the command ``ip`` exists, too, the master and each worker run
in network namespaces of their own, so that they and the driver can reach each other only by their
addresses.
"""

import os
import random
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from shutil import which
from types import TracebackType

import psutil
import pyspark

from provhouse.runtime.java import java

TRIES = 8
CHECKED = 253
"""The address number of the process that only tests the network.

No other process gets this number, because the kernel removes an interface only some time after its
process has ended.
"""
WAIT = 10
"""The time limit for a process in a namespace to connect to this process, in seconds."""


class Network:
    """A virtual network that connects this process with the namespaces that join it.

    Raises OSError if the rights or the command ``ip`` are missing, or if a firewall blocks
    connections from other namespaces to this process.
    """

    def __init__(self) -> None:
        self._bridge: subprocess.Popen[str] | None = None
        self._prefix = ""
        # No real network has these addresses: they are reserved for benchmarks (RFC 2544).
        for third in random.sample(range(256), TRIES):
            if self._open(third):
                break
        else:
            raise OSError("no network namespace can be made")
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def address(self, number: int) -> str:
        """Return a number's address: 0 is this process, and 1 to 252 are free for commands."""
        return f"{self._prefix}.{number + 1}"

    def close(self) -> None:
        """Remove the network."""
        if self._bridge:
            self._bridge.communicate()  # closes its input
            self._bridge = None

    def joining(self, number: int) -> list[str]:
        """Return the shell commands that give a new namespace an address in the network."""
        assert self._bridge
        there = f"nsenter --net=/proc/{self._bridge.pid}/ns/net"
        return [
            "ip link set lo up",
            f"ip link add eth0 type veth peer name port{number} netns {self._bridge.pid}",
            f"ip address add {self.address(number)}/24 dev eth0",
            "ip link set eth0 up",
            f"{there} ip link set port{number} master bridge up",
        ]

    def _open(self, third: int) -> bool:
        """Start the bridge; return whether the addresses and the interface's name were free."""
        self._prefix, name, here = f"198.18.{third}", f"provhouse{third}", os.getpid()
        script = [
            "ip link add bridge type bridge",
            "ip link set bridge up",
            f"ip link add port0 type veth peer name {name} netns {here}",
            "ip link set port0 master bridge up",
            f"nsenter --net=/proc/{here}/ns/net ip address add {self.address(0)}/24 dev {name}",
            f"nsenter --net=/proc/{here}/ns/net ip link set {name} up",
            "echo ready",
            "exec cat",  # ends when this process ends, which closes the pipe
        ]
        self._bridge = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", " && ".join(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )
        assert self._bridge.stdout
        if self._bridge.stdout.readline() == "ready\n":
            return True
        self.close()
        return False

    def _check(self) -> None:
        """Raise OSError unless a process in the network can connect to this one."""
        with closing(socket.socket()) as found:
            found.bind((self.address(0), 0))
            found.listen()
            connect = f"import socket; socket.create_connection({found.getsockname()!r}, {WAIT})"
            script = [*self.joining(CHECKED), shlex.join(["exec", sys.executable, "-c", connect])]
            command = ["unshare", "--net", "sh", "-c", " && ".join(script)]
            if subprocess.run(command, capture_output=True).returncode:
                raise OSError("no connection from a network namespace to this process")


SPARK = Path(pyspark.__file__).parent
DEPLOY = "org.apache.spark.deploy"
LOOPBACK = "127.0.0"
SECONDS = 60
"""The time limit for the start or the end of a process, in seconds."""


class Cluster:
    """A context manager that runs a master and workers, with all their files in one folder.

    ``shared`` lists the folders below ``/tmp`` that workers share with the driver. If this process
    is killed, the cluster ends.
    """

    def __init__(
        self, folder: Path, shared: Sequence[Path], workers: int = 2, spark: Path = SPARK
    ) -> None:
        self._folder = folder
        self._shared = shared
        self._count = workers
        self._spark_class = ("bash", spark / "bin" / "spark-class")
        self._network: Network | None = None
        self._port = 0
        self.isolated = _can_isolate()
        """Whether each worker has its own ``/tmp``."""
        self.workers: dict[str, psutil.Process] = {}
        """The workers' processes by address, in the order in which they were started."""
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def networked(self) -> bool:
        """Whether the master and the workers have network namespaces."""
        return self._network is not None

    @property
    def driver(self) -> str:
        """The address at which workers find the driver."""
        return self._address(0)

    @property
    def master(self) -> str:
        """The URL of the master."""
        return f"spark://{self._address(1)}:{self._port}"

    def _address(self, number: int) -> str:
        """Return the address of a process: 0 is the driver, 1 the master, and a higher number a
        worker.

        If all workers had one address, Spark would treat them as one machine, and let a worker read
        another worker's files directly.
        """
        if self._network:
            return self._network.address(number)
        return f"{LOOPBACK}.{max(number, 1)}"

    def __enter__(self) -> "Cluster":
        self._network = _network() if self.isolated else None
        try:
            self._port = _free_port(self.driver)
            options = ("--host", self._address(1), "--port", self._port, "--webui-port", "0")
            master = self._start(
                "master", 1, [*self._spark_class, f"{DEPLOY}.master.Master", *options]
            )
            self._await_port(master)
            for _ in range(self._count):
                self.add_worker()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        for process in self._processes[::-1]:
            if process.poll() is None:
                kill(psutil.Process(process.pid))
            process.wait()
        if self._network:
            self._network.close()

    def add_worker(self, cores: int = 1, memory: str = "2g") -> psutil.Process:
        """Start a worker, and return its process."""
        number = len(self._processes)
        name, host = f"worker-{number}", self._address(number + 1)
        command = [
            *self._spark_class, f"{DEPLOY}.worker.Worker", "--host", host,
            "--webui-port", "0", "--cores", cores, "--memory", memory,
            "--work-dir", self._folder / name / "work", self.master,
        ]  # fmt: skip
        worker = self._start(name, number + 1, command)
        self.workers[host] = worker
        return worker

    def _await_port(self, master: psutil.Process) -> None:
        """Wait until the master listens; raise RuntimeError, with its log, if it does not."""
        late = time.monotonic() + SECONDS
        while master.is_running() and master.status() != psutil.STATUS_ZOMBIE:
            with closing(socket.socket()) as tried:
                if not tried.connect_ex((self._address(1), self._port)):
                    return
            if time.monotonic() > late:
                break
            time.sleep(0.05)
        raise RuntimeError(f"the master does not listen\n{self.log('master')}")

    def log(self, name: str) -> str:
        """Return what the master or a worker has printed."""
        return (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _start(self, name: str, number: int, command: Sequence[object]) -> psutil.Process:
        temporary = self._folder / name / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        hides = self.isolated and name != "master"
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))},
            "JAVA_HOME": str(java().parent.parent),
            "SPARK_LOCAL_IP": self._address(number),
            "SPARK_LOCAL_DIRS": "/tmp" if hides else str(temporary),
            "TMPDIR": "/tmp" if hides else str(temporary),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [str(part) for part in self._apart(name, number, command, hides)],
                cwd=self._folder / name,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return psutil.Process(process.pid)

    def _apart(
        self, name: str, number: int, command: Sequence[object], hides: bool
    ) -> list[object]:
        """Return a command that runs another one in namespaces until this process ends."""
        script = self._network.joining(number) if self._network else []
        if hides:
            script += self._hiding(self._folder / name)
        kinds = ["--net"] * self.networked + ["--mount"] * hides
        if not kinds:
            return [*_dying(), *command]
        shell = ["sh", "-c", " && ".join([*script, 'exec "$@"']), "sh"]
        return [*_dying(), "unshare", *kinds, *shell, *command]

    def _hiding(self, folder: Path) -> list[str]:
        """Return shell commands that replace ``/tmp`` with a folder, except shared folders."""
        own, script = folder / "tmp", []
        for seen in (*self._shared, Path(sys.prefix), folder):
            if seen.is_relative_to("/tmp"):
                inside = own / seen.relative_to("/tmp")
                inside.mkdir(parents=True, exist_ok=True)
                script.append(shlex.join(["mount", "--bind", str(seen), str(inside)]))
        script.append(shlex.join(["mount", "--rbind", str(own), "/tmp"]))
        return [*script, f"cd {shlex.quote(str(folder))}"]


def kill(process: psutil.Process) -> None:
    """Kill a process and all its descendants, and wait for their end."""
    with suppress(psutil.NoSuchProcess):
        family = [process, *process.children(recursive=True)]
        for one in family:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(family, SECONDS)


def suspend(process: psutil.Process) -> None:
    """Pause a process and all its descendants until they are killed or resumed."""
    for one in (*process.children(recursive=True), process):
        one.suspend()


def resume(process: psutil.Process) -> None:
    """Resume a process and all its descendants."""
    for one in (process, *process.children(recursive=True)):
        one.resume()


def _dying() -> list[str]:
    """Return a command prefix that makes the kernel kill the command when this process ends."""
    return ["setpriv", "--pdeathsig", "KILL"] if which("setpriv") else []


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


def _network() -> Network | None:
    """Return a new network, or None if none can be made."""
    with suppress(OSError):
        return Network()
    return None


def _free_port(address: str) -> int:
    with closing(socket.socket()) as found:
        found.bind((address, 0))
        port: int = found.getsockname()[1]
        return port

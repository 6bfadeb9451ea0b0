"""One real server through its life: started, shared, kept, killed, refused.

Starts are what takes time here, so a test makes as many statements about one as it can. Each begins
and ends with the server down.
"""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from provhouse.cypher import process
from provhouse.cypher.config import free_ports, read_password
from provhouse.cypher.graph import Graph
from provhouse.cypher.server import connected, down, running, up
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.errors import Busy, Unavailable
from provhouse.model.progress import Silent

# A command in a process of its own: uses the server until its input ends.
COMMAND = """
import sys
from pathlib import Path
from provhouse.cypher.server import connected
from provhouse.model.progress import Silent
try:
    with connected(Path(sys.argv[1]), "512m", Silent()) as address:
        print(address.bolt, flush=True)
        sys.stdin.read()
except KeyboardInterrupt:
    sys.exit(130)
"""


class Sayings(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, sentence: str) -> None:
        """Keep it."""
        self.said.append(sentence)


@pytest.fixture(scope="module")
def one_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the server of this file."""
    return tmp_path_factory.mktemp("life") / "neo4j"


@pytest.fixture
def home(one_home: Path) -> Iterator[Path]:
    """The same home, whose server is down before and after."""
    assert running(one_home) is None
    yield one_home
    left = pid(one_home)
    process.stop(left, one_home)


def pid(home: Path) -> int | None:
    """The process id that was last remembered."""
    state = ServerRecord.read(home)
    return state.pid if state else None


def servers(home: Path) -> list[int]:
    """The processes that are servers of this home, remembered or not."""
    return [one for one in psutil.pids() if process.serves(one, home)]


@pytest.fixture
def command(home: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts commands that use the server, and ends them."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", COMMAND, str(home)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        return started[-1]

    yield start
    for one in started:
        one.communicate(timeout=60)


def first_line(command: subprocess.Popen[str]) -> str:
    """What the command prints once it is connected."""
    assert command.stdout
    return command.stdout.readline().strip()


def test_ctrl_c_during_the_first_start_leaves_nothing(
    home: Path, command: Callable[[], subprocess.Popen[str]]
) -> None:
    """Also what it left of a half-made home must not stand in the way of the tests below."""
    interrupted = command()
    for _ in range(600):
        if servers(home):
            break
        time.sleep(0.1)
    time.sleep(1.5)
    interrupted.send_signal(signal.SIGINT)
    assert interrupted.wait(60) == 130
    assert servers(home) == []


@pytest.mark.long
def test_two_commands_share_what_the_first_started(
    home: Path, command: Callable[[], subprocess.Popen[str]]
) -> None:
    """Both at once, and the last one stops it."""
    first, second = command(), command()
    assert first_line(first) == first_line(second)
    assert len(servers(home)) == 1
    assert stat.S_IMODE((home / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "data" / "dbms" / "auth.ini").stat().st_mode) == 0o600
    assert read_password(home) not in " ".join(psutil.Process(pid(home)).cmdline())
    listening = {c.laddr.ip for c in psutil.Process(pid(home)).net_connections() if not c.raddr}
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
    first.communicate(timeout=60)
    assert len(servers(home)) == 1
    with pytest.raises(Busy):
        down(home, Silent())
    second.communicate(timeout=60)
    assert servers(home) == []
    assert running(home) is None


@pytest.mark.long
def test_up_keeps_it_and_a_killed_one_is_started_again(home: Path) -> None:
    """On other ports if the remembered ones are taken meanwhile; nothing written is lost."""
    before = ServerRecord.read(home)
    assert before
    with socket.create_server(("127.0.0.1", before.bolt)):
        said = Sayings()
        address = up(home, "512m", said)
    assert "Another program has taken a port" in " ".join(said.said)
    assert running(home) == address
    first = pid(home)
    with connected(home, "512m", Silent()) as shared, Graph(shared, "w") as graph:
        assert shared == address
        graph.prepare()
        graph.write("dependencies", [{"set": 1, "derives_from": 2, "triples": 1, "ops": []}])
        graph.write_load("c")
    assert servers(home) == [first]
    assert first
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # it has ended, and is left to be let go
    assert running(home) is None
    with connected(home, "512m", Silent()) as again, Graph(again, "w") as graph:
        assert again == address
        assert graph.has_load("c")
        assert sorted(graph.closure(1, "upstream")) == [1, 2]
    assert len(servers(home)) == 1
    assert not psutil.pid_exists(first), "who starts many leaves none behind"
    assert_a_changed_password_is_said(home)
    assert down(home, Silent())
    assert servers(home) == []
    assert not down(home, Silent())


def assert_a_changed_password_is_said(home: Path) -> None:
    """On the server that happens to be up; it is left alone."""
    file = home / "password"
    right = file.read_text()
    file.write_text("not-the-password\n")
    with pytest.raises(Unavailable) as caught, connected(home, "512m", Silent()):
        pass
    assert str(file) in str(caught.value)
    assert "not-the-password" not in str(caught.value)
    file.unlink()
    with pytest.raises(Unavailable, match="should be in"), connected(home, "512m", Silent()):
        pass
    file.write_text(right)
    assert len(servers(home)) == 1


def test_a_start_that_fails_says_why(tmp_path: Path) -> None:
    """In Java's or Neo4j's own words; nothing is left running."""
    with pytest.raises(Unavailable) as caught, connected(tmp_path / "h", "none", Silent()):
        pass
    assert "Invalid maximum heap size" in caught.value.found
    assert servers(tmp_path / "h") == []


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Below a file, where not even root can make a folder."""
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "neo4j"
    for act in (up, lambda *given: connected(*given).__enter__()):
        with pytest.raises(Unavailable, match="can be written to"):
            act(home, "512m", Silent())
    assert not down(home, Silent())
    assert running(home) is None


def test_the_copy_of_a_home_is_not_taken_for_the_home(graph_home: Path, tmp_path: Path) -> None:
    """Else a command on a copied warehouse would write into the original's server."""
    state = ServerRecord.read(graph_home)
    assert state
    state.save(tmp_path)
    assert running(tmp_path) is None


def test_free_ports_are_free() -> None:
    for port in free_ports():
        with socket.create_server(("127.0.0.1", port)):
            pass

"""A real Neo4j server is started, shared, kept running and killed.

Starting the server takes most of the time, so each test checks many things after one start. The
server is down at the beginning and the end of every test.
"""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil
import pytest

from provhouse.cypher import neo4j_process as process
from provhouse.cypher.address import Address
from provhouse.cypher.config import free_ports, read_password
from provhouse.cypher.graph import Graph
from provhouse.cypher.importing import Import
from provhouse.cypher.server import connected, down, running, starting, up
from provhouse.cypher.server_record import ServerRecord
from provhouse.model.arrays import SetId
from provhouse.model.errors import Busy, Unavailable
from provhouse.model.progress import Silent

# A command in its own process, which uses the server until the input of the process ends.
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


class Messages(Silent):
    """A progress that collects the messages for people."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def say(self, sentence: str) -> None:
        """Keep a message."""
        self.messages.append(sentence)


@pytest.fixture(scope="module")
def one_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of the server that these tests share."""
    return tmp_path_factory.mktemp("life") / "neo4j"


@pytest.fixture
def home(one_home: Path) -> Iterator[Path]:
    """Return the shared home. Its server is down before and after the test."""
    assert running(one_home) is None
    yield one_home
    left = pid(one_home)
    process.stop(left, one_home)


def pid(home: Path) -> int | None:
    """Return the process id that is recorded for the server."""
    state = ServerRecord.read(home)
    return state.pid if state else None


def servers(home: Path) -> list[int]:
    """Return the ids of the processes that are servers of this home, recorded or not."""
    return [one for one in psutil.pids() if process.serves(one, home)]


@pytest.mark.long
def test_a_server_can_start_while_other_work_goes_on(home: Path) -> None:
    said = Messages()
    with starting(home, "512m", said):
        first = servers(home)
        assert len(first) == 1
        with pytest.raises(Busy):
            down(home, said)
        with connected(home, "512m", said), starting(home, "512m", said):
            assert servers(home) == first
        assert servers(home) == first
    assert servers(home) == []
    assert said.messages == ["Starting Neo4j"]


@pytest.fixture
def command(home: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Return a function that starts commands. The commands are ended after the test."""
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
    """Return the line that a command prints as soon as it has connected."""
    assert command.stdout
    return command.stdout.readline().strip()


@pytest.mark.long
def test_ctrl_c_during_the_first_start_leaves_no_process(
    home: Path, command: Callable[[], subprocess.Popen[str]]
) -> None:
    """After an interrupted first start, no process runs. Later tests use the unfinished home."""
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
def test_two_commands_share_a_server_and_the_last_one_stops_it(
    home: Path, command: Callable[[], subprocess.Popen[str]]
) -> None:
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
def test_up_keeps_the_server_and_a_killed_one_is_started_again(home: Path) -> None:
    """A server uses other ports if the recorded ones are taken. A killed server loses no data."""
    before = ServerRecord.read(home)
    assert before
    with socket.create_server(("127.0.0.1", before.bolt)):
        messages = Messages()
        address = up(home, "512m", messages)
    assert "Another program has taken a port" in " ".join(messages.messages)
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
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)  # the process has ended and is a zombie now
    assert running(home) is None
    with connected(home, "512m", Silent()) as again, Graph(again, "w") as graph:
        assert again == address
        assert graph.has_load("c")
        assert sorted(graph.closure(SetId(1), "upstream")) == [1, 2]
    assert len(servers(home)) == 1
    assert not psutil.pid_exists(first), "the zombie was collected"
    assert_a_changed_password_is_reported(home)
    assert down(home, Silent())
    assert servers(home) == []
    assert not down(home, Silent())


def assert_a_changed_password_is_reported(home: Path) -> None:
    """Change the password file of a running server, check the error, and restore the file."""
    file = home / "password"
    right = file.read_text()
    file.write_text("not-the-password\n")
    with pytest.raises(Unavailable) as caught, connected(home, "512m", Silent()):
        pass
    assert str(file) in str(caught.value)
    assert "not-the-password" not in str(caught.value)
    file.unlink()
    with pytest.raises(Unavailable, match="Cannot read"), connected(home, "512m", Silent()):
        pass
    file.write_text(right)
    assert len(servers(home)) == 1


def test_a_failed_start_reports_the_cause_from_the_log(tmp_path: Path) -> None:
    """A failed start leaves no process running."""
    with pytest.raises(Unavailable) as caught, connected(tmp_path / "h", "none", Silent()):
        pass
    assert "Invalid maximum heap size" in caught.value.found
    assert servers(tmp_path / "h") == []


def test_a_home_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """The home is below a file, where not even root can create a folder."""
    (tmp_path / "file").touch()
    home = tmp_path / "file" / "neo4j"
    for act in (up, lambda *given: connected(*given).__enter__()):
        with pytest.raises(Unavailable, match="Cannot use"):
            act(home, "512m", Silent())
    assert not down(home, Silent())
    assert running(home) is None


def test_the_server_of_a_copied_home_counts_as_down(graph_home: Path, tmp_path: Path) -> None:
    """While the original's Neo4j runs, commands on a copied warehouse must not write there."""
    state = ServerRecord.read(graph_home)
    assert state
    state.save(tmp_path)
    assert running(tmp_path) is None


def test_other_pages_may_not_read_what_the_http_port_answers(address: Address) -> None:
    """Neo4j Browser is on the same port, so the server need not allow any other origin."""
    for path in ("/", "/browser/", "/db/neo4j/query/v2"):
        request = Request(f"{address.http}{path}", headers={"Origin": "http://evil.example"})
        try:
            reply = urlopen(request, timeout=10)
        except HTTPError as error:
            reply = error
        with reply:
            allowed = reply.headers.get("Access-Control-Allow-Origin")
        assert allowed in (None, address.http)


def test_free_ports_are_free() -> None:
    for port in free_ports():
        with socket.create_server(("127.0.0.1", port)):
            pass


def test_a_server_starts_quickly_for_questions_and_after_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = list[bool]()

    def spawn(command: Sequence[str], *_: object) -> int:
        started.append("-XX:TieredStopAtLevel=1" in command)
        raise Unavailable("No server", "The test starts none", "Nothing to do")

    monkeypatch.setattr(process, "spawn", spawn)
    imported = Import("w", {})
    monkeypatch.setattr(imported, "run", lambda *_: None)
    for used in (
        starting(tmp_path, "512m", Silent()),
        starting(tmp_path, "512m", Silent(), briefly=True),
        connected(tmp_path, "512m", Silent()),
        connected(tmp_path, "512m", Silent(), imported),
    ):
        with pytest.raises(Unavailable), used:
            pass
    assert started == [False, True, False, True]

"""The image's entrypoint and health check, run outside of a container."""

import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

import provhouse
from helpers.certificate import Authority
from helpers.command import Command
from helpers.oracle import Oracle, Triple
from provhouse.cypher.config import free_ports
from provhouse.model.errors import NotFound
from provhouse.serve.server_file import running

FOLDER = Path(__file__).parents[2] / "docker"
TOKEN = secrets.token_urlsafe(32)


class Container:
    """The processes that a container of the image would run, here on this machine."""

    def __init__(self, folder: Path) -> None:
        self.secret = folder / "token"
        self.warehouse = folder / "warehouse"
        self.command = Command(self.warehouse)
        self._started: list[subprocess.Popen[str]] = []

    def environment(self) -> dict[str, str]:
        """Return the environment of the image, with the programs of this virtual environment."""
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return self.command.environment() | {
            "PATH": programs,
            "SERVER_TOKEN_FILE": str(self.secret),
        }

    def start(self, *arguments: object) -> "subprocess.Popen[str]":
        """Start the entrypoint."""
        process = subprocess.Popen(
            [FOLDER / "entrypoint.sh", *map(str, arguments)],
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """Kill the processes that a failed test left running, and close the outputs."""
        self.command.end_all()
        for process in self._started:
            process.wait(60)
            process.communicate(timeout=60)

    def refusal(self, *arguments: object) -> str:
        """Run the entrypoint and return its message; fail if it succeeds."""
        process = self.start(*arguments)
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 2, out
        assert "Traceback" not in out
        return out

    def health(self) -> tuple[int, str]:
        """Return the exit status and the output of the health check."""
        done = subprocess.run(
            [sys.executable, FOLDER / "healthcheck.py"],
            env=self.environment(),
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.strip()

    def await_health(self, wanted: str) -> int:
        """Wait until the health check prints ``wanted``, and return its exit status."""
        late = time.monotonic() + 240
        while time.monotonic() < late:
            status, reason = self.health()
            if wanted in reason:
                return status
            time.sleep(0.2)
        pytest.fail(f"The health check still prints: {reason}")

    def processes(self) -> list[list[str]]:
        """Return the command lines of the processes that the entrypoint has left running."""
        late = time.monotonic() + 30  # tail checks once a second whether the server has ended
        while self.command.running() and time.monotonic() < late:
            time.sleep(0.1)
        return [process.cmdline()[:3] for process in self.command.running()]


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    """A container that has the secret ``TOKEN`` and no warehouse."""
    started = Container(tmp_path)
    started.secret.write_text(f"{TOKEN}\n")
    yield started
    started.end()


def stopped(container: Container, process: "subprocess.Popen[str]") -> str:
    """Send the signal that stops a container, check the processes left, and return all output."""
    process.send_signal(signal.SIGTERM)
    # tail keeps waiting until this call collects the server's exit status
    status = process.wait(120)
    out, _ = process.communicate(timeout=30)
    assert status == 128 + signal.SIGTERM
    assert container.processes() == []
    assert container.health() == (1, "No server is running")
    return out


@pytest.mark.long
def test_a_server_has_the_token_of_the_secret_and_gets_the_signals(container: Container) -> None:
    assert container.health() == (1, "No server is running")
    process = container.start()
    assert container.await_health("empty") == 0
    server = running(container.warehouse)
    assert server
    assert server.pid == process.pid
    assert (container.warehouse / "server" / "token").stat().st_mode & 0o777 == 0o600
    with pytest.raises(NotFound), provhouse.connect(server.address, TOKEN) as connection:
        connection.lineage("i59")
    with pytest.raises(HTTPError, match="401"):
        urllib.request.urlopen(f"{server.address}/v1/lineage?item=i59")
    out = stopped(container, process)
    assert "INFO" in out  # a line of the server's log
    assert TOKEN not in out


@pytest.mark.long
def test_a_server_with_a_certificate_answers_from_elsewhere(
    container: Container, tmp_path: Path
) -> None:
    authority = Authority.create(tmp_path)
    certificate, key = authority.sign("server", "DNS:localhost,IP:127.0.0.2")
    address = f"127.0.0.2:{free_ports()[0]}"
    container.command.settings = {
        "PROVHOUSE_SERVER_ADDRESS": address,
        "PROVHOUSE_SERVER_NAMES": "127.0.0.2",
        "PROVHOUSE_SERVER_CERTIFICATE": str(certificate),
        "PROVHOUSE_SERVER_KEY": str(key),
    }
    process = container.start()
    assert container.await_health("empty") == 0
    container.command.settings = {
        "PROVHOUSE_TOKEN_FILE": str(container.secret),
        "PROVHOUSE_CA_FILE": str(authority.file),
    }
    asked = container.start("--server", f"https://{address}", "lineage", "i59")
    out, _ = asked.communicate(timeout=60)
    assert asked.returncode == NotFound.exit_status, out
    assert "empty" in out
    stopped(container, process)


@pytest.mark.long
def test_a_server_answers_from_what_a_command_ingests(container: Container, tmp_path: Path) -> None:
    chosen = random.Random(7)
    triples = {
        Triple(f"i{src}", f"i{dst}", "op")
        for src, dst in (sorted(chosen.sample(range(60), 2)) for _ in range(120))
    }
    file = tmp_path / "trace.csv"
    rows = "".join(f"{one.src},{one.dst},{one.op}\n" for one in triples)
    file.write_text(f"src,dst,op\n{rows}")
    process = container.start()
    assert container.await_health("empty") == 0
    ingest = container.start("ingest", file)
    out, _ = ingest.communicate(timeout=300)
    assert ingest.returncode == 0, out
    assert container.await_health("generation") == 0

    server = running(container.warehouse)
    assert server
    with provhouse.connect(server.address, TOKEN) as connection:
        answer = connection.lineage("i59")
    expected = Oracle.of(triples).ask("i59", "upstream")
    assert {(item.item, item.depth) for item in answer.items} == expected.items
    assert {(one.src, one.dst, one.op) for one in answer.triples} == expected.triples
    stopped(container, process)


@pytest.mark.parametrize(
    ("token", "why"),
    [
        ("short", "has fewer than 32 characters"),
        ("", "has fewer than 32 characters"),
        ("x" * 40 + "\r\nHost: y", "has other characters than"),
        ("ä" * 40, "has other characters than"),
    ],
)
def test_an_unusable_secret_is_refused(container: Container, token: str, why: str) -> None:
    container.secret.write_text(token)
    message = container.refusal("serve")
    assert why in message
    assert not (container.warehouse / "server").exists()
    assert not token or token not in message


def test_a_folder_that_cannot_be_written_is_refused(container: Container) -> None:
    container.warehouse.write_text("a file")
    assert f"Cannot write to {container.warehouse}" in container.refusal()


def test_serve_takes_no_arguments(container: Container) -> None:
    assert "serve takes no arguments" in container.refusal("serve", "--port=1")


@pytest.mark.long
def test_other_arguments_are_a_command_of_provhouse(container: Container) -> None:
    process = container.start("status", "--format", "json")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, out
    assert json.loads(out)["generation"] is None

"""A server with TLS: other machines connect with tokens, and get no answer without TLS."""

import shutil
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import psutil
import pytest
import requests

import provhouse
from helpers.certificate import Authority
from provhouse.cli.app import run
from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve import server_file
from provhouse.serve import server_process as process
from provhouse.serve.server_file import ServerInfo
from provhouse.serve.tokens import Role, add_token, revoke_token


@dataclass
class Secured:
    """A TLS server of an empty warehouse."""

    settings: Settings
    authority: Authority
    token: str
    """A token with the role ``read``."""

    @property
    def url(self) -> str:
        """The URL of the server with TLS."""
        return f"https://{self.settings.server_address}"

    @property
    def address(self) -> tuple[str, int]:
        """The address and the port on which the server uses TLS."""
        host, _, port = self.settings.server_address.partition(":")
        return host, int(port)

    @property
    def server(self) -> ServerInfo:
        """The server's address on loopback, which does not use TLS."""
        found = server_file.running(self.settings.warehouse)
        assert found
        return found

    def status(self, url: str, **headers: str) -> requests.Response:
        """Ask for the status of the warehouse.

        The token is sent unless ``headers`` contain another one.
        """
        given = {"Authorization": f"Bearer {self.token}", **headers}
        trusted = str(self.authority.file)
        return requests.get(f"{url}/v1/status", headers=given, verify=trusted, timeout=60)

    def connect(self, token: str) -> provhouse.Connection:
        """Return a connection that uses the given token."""
        return provhouse.connect(self.url, token, ca_file=self.authority.file)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """A server that starts neither Spark nor Neo4j, because its warehouse is empty."""
    folder = tmp_path_factory.mktemp("secured")
    authority = Authority.create(folder)
    certificate, key = authority.sign("server", "IP:127.0.0.2,DNS:lineage.test")
    with socket.create_server(("127.0.0.2", 0)) as free:
        address = f"127.0.0.2:{free.getsockname()[1]}"
    settings = Settings(
        warehouse=folder / "warehouse", server_address=address, server_certificate=certificate,
        server_key=key, server_names="lineage.test",
    )  # fmt: skip
    process.up(settings, Silent(), wait=True)
    yield Secured(settings, authority, add_token(settings.warehouse, "tina", Role.read, None))
    process.down(settings.warehouse, Silent())


def certificate(secured: Secured) -> bytes:
    """Return the certificate that a client receives from the server."""
    context = ssl.create_default_context(cafile=secured.authority.file)
    with (
        socket.create_connection(secured.address, timeout=20) as plain,
        context.wrap_socket(plain, server_hostname=secured.address[0]) as client,
    ):
        return client.getpeercert(binary_form=True) or b""


def test_the_server_answers_with_and_without_tls(secured: Secured) -> None:
    with_tls, without = secured.status(secured.url), secured.status(secured.server.address)
    assert (with_tls.status_code, without.status_code) == (200, 200)
    assert with_tls.json() == without.json()
    with pytest.raises(NotFound, match="is empty"):
        secured.connect(secured.token).generations()


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: t + "x", lambda t: "wrong"])
def test_a_wrong_token_is_refused(secured: Secured, change: Callable[[str], str]) -> None:
    with pytest.raises(UsageError, match="has no valid token") as caught:
        secured.connect(change(secured.token)).generations()
    assert secured.token[:-1] not in str(caught.value)


def test_a_revoked_token_is_refused_with_the_reason(secured: Secured) -> None:
    warehouse = secured.settings.warehouse
    token = add_token(warehouse, "rita", Role.read, None)
    assert secured.status(secured.url, Authorization=f"Bearer {token}").status_code == 200
    revoke_token(warehouse, "rita")
    with pytest.raises(UsageError, match="rita was revoked") as caught:
        secured.connect(token).generations()
    assert token not in str(caught.value)


QUESTIONS = (
    ("generations",), ("lineage", "x"), ("impact", "x"), ("find", "x"), ("path", "x", "y"),
    ("subgraph", "x"), ("origins", "x"), ("show", "set", "1"), ("explain", "x"),
    ("diff", "x", "--from", "1"), ("what-if", "--delete", "x"), ("what-if", "--each", "x"),
    ("depends", "x", "--on", "y"), ("why", "x"), ("why-changed", "x", "--from", "1"),
    ("evaluate", "x", "--semiring", "count"), ("ops",), ("modules",), ("invocations", "m"),
    ("lineage", "x", "--zoom", "table"), ("reuse", "w@r1"), ("results", "w"),
    ("list", "values", "op"),
)  # fmt: skip
ALLOWED = (("lineage", "x", "--records"), ("browser", "x"))
"""Questions that need a further role."""


@pytest.mark.long
def test_a_command_asks_a_remote_server(
    secured: Secured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warehouse is empty, so the exit status is 3 if the server answers.

    With a wrong token, the exit status is 2.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROVHOUSE_TOKEN_FILE", "token")
    monkeypatch.setenv("PROVHOUSE_CA_FILE", str(secured.authority.file))
    for content, status in ((f"{secured.token}\n", 3), (secured.token[:-1], 2)):
        (tmp_path / "token").write_text(content)
        for command in QUESTIONS:
            assert run(["--server", secured.url, *command]) == status, command
    admin = add_token(secured.settings.warehouse, "ada", Role.admin, None)
    for token, status in ((secured.token, 2), (admin, 3)):
        (tmp_path / "token").write_text(token)
        for command in ALLOWED:
            assert run(["--server", secured.url, *command]) == status, command
    assert [file.name for file in tmp_path.iterdir()] == ["token"]


def test_a_certificate_that_is_not_trusted_gets_no_token(secured: Secured) -> None:
    with pytest.raises(Unavailable, match="is not trusted") as caught:
        provhouse.connect(secured.url, secured.token).generations()
    assert "ca_file" in caught.value.remedy


def test_a_certificate_of_another_host_gets_no_token(secured: Secured) -> None:
    settings = secured.settings
    assert settings.server_certificate
    received: list[bytes] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings.server_certificate, settings.server_key)

    def impersonate(listening: socket.socket) -> None:
        with (
            suppress(OSError),
            listening.accept()[0] as plain,
            context.wrap_socket(plain, server_side=True) as client,
        ):
            received.append(client.recv(4096))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=impersonate, args=(listening,))
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}"
        remote = provhouse.connect(url, secured.token, ca_file=secured.authority.file)
        with pytest.raises(Unavailable, match="is not trusted"):
            remote.generations()
        thread.join(20)
    assert not b"".join(received)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_without_tls_there_is_no_answer(secured: Secured) -> None:
    with pytest.raises(requests.ConnectionError):
        secured.status(secured.url.replace("https", "http"))
    context = ssl.create_default_context(cafile=secured.authority.file)
    context.set_ciphers("ALL:@SECLEVEL=0")  # otherwise this client itself refuses old versions
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        socket.create_connection(secured.address, timeout=20) as plain,
        pytest.raises((ssl.SSLError, ConnectionResetError)),
    ):
        context.wrap_socket(plain, server_hostname=secured.address[0])


def test_all_that_listens_elsewhere_has_tls(secured: Secured) -> None:
    found = psutil.Process(secured.server.pid).net_connections("tcp")
    listening = {one.laddr[:2] for one in found if one.status == psutil.CONN_LISTEN}
    assert listening == {secured.address, ("127.0.0.1", secured.server.port)}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("lineage.test", 200), ("LINEAGE.test:1", 200), ("127.0.0.2:5", 200), ("evil.example", 403),
        ("lineage.test.evil.example", 403), ("xlineage.test", 403), ("", 403), (":1", 403),
        ("localhost:1", 403),
    ],
)  # fmt: skip
def test_only_known_names_are_accepted(secured: Secured, host: str, status: int) -> None:
    """The address without TLS accepts the server names, too, as a reverse proxy may send them."""
    for url in (secured.url, secured.server.address):
        reply = secured.status(url, Host=host)
        assert reply.status_code == status, url
        if status == 403:
            assert "server_names" in reply.json()["remedy"]


def test_unfinished_handshakes_do_not_block_others(secured: Secured) -> None:
    with ExitStack() as stack:
        for number in range(200):
            client = stack.enter_context(socket.create_connection(secured.address, timeout=20))
            if number % 2:
                # these bytes are the beginning of a handshake
                client.sendall(b"\x16\x03\x01\x02\x00\x01")
        began = time.monotonic()
        for url in (secured.url, secured.server.address):
            assert secured.status(url).status_code == 200
        # the server ends unfinished handshakes after ten seconds
        assert time.monotonic() - began < 9


def test_a_renewed_certificate_is_used_without_a_restart(secured: Secured) -> None:
    settings = secured.settings
    assert settings.server_certificate
    assert settings.server_key
    log = settings.warehouse / "logs" / "server.log"

    def wait_for(words: str) -> None:
        deadline = time.monotonic() + 20
        while words not in log.read_text():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    before = certificate(secured)
    new, key = secured.authority.sign("renewed", "IP:127.0.0.2,DNS:lineage.test")
    shutil.copy(new, settings.server_certificate)  # this certificate does not belong to the key
    wait_for("was not renewed")
    assert certificate(secured) == before
    shutil.copy(key, settings.server_key)
    wait_for("was renewed")
    assert certificate(secured) != before


def test_no_token_is_logged(secured: Secured) -> None:
    owner = server_file.token(secured.settings.warehouse)
    for file in (file for file in secured.settings.warehouse.glob("logs/*") if file.is_file()):
        text = file.read_text(errors="replace")
        assert not [token for token in (secured.token, owner) if token in text], file

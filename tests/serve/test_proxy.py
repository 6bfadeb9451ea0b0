"""The nginx configuration in docs/team.md, tested with nginx in front of a server."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import provhouse
from helpers.certificate import Authority
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve import server_file
from provhouse.serve import server_process as process
from provhouse.serve.tokens import Role, add_token

PAGE = Path(__file__).parents[2] / "docs" / "team.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
NAME = "localhost"
"""The host name of the proxy, which replaces the example name of the docs page."""
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
]


def configuration(folder: Path, port: int, server_port: int) -> Path:
    """Write the docs page's configuration with this test's ports and files; return its file."""
    found = re.search(r"```nginx\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    block = found[1]
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("lineage.example.com", NAME),
        ("/etc/provhouse/fullchain.pem", str(folder / "proxy.pem")),
        ("/etc/provhouse/privkey.pem", str(folder / "proxy.key")),
        ("127.0.0.1:8642", f"127.0.0.1:{server_port}"),
    ):
        assert old in block
        block = block.replace(old, new)
    names = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{name}_temp_path {folder}/{name};\n" for name in names)
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off;\npid {folder}/pid;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{block}}}\n"
    )
    return file


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Settings, Authority]]:
    """The URL of an nginx in front of the server of an empty warehouse."""
    folder = tmp_path_factory.mktemp("proxy")
    authority = Authority.create(folder)
    authority.sign("proxy", f"DNS:{NAME}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = Settings(warehouse=folder / "warehouse", server_names=NAME)
    process.up(settings, Silent(), wait=True)
    server = server_file.running(settings.warehouse)
    assert server
    assert NGINX
    file = configuration(folder, port, int(server.address.rpartition(":")[2]))
    with subprocess.Popen([NGINX, "-e", "stderr", "-c", file]) as nginx:
        _await(port)
        yield f"https://{NAME}:{port}", settings, authority
        nginx.terminate()
    process.down(settings.warehouse, Silent())


def _await(port: int) -> None:
    for _ in range(100):
        with suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.1)
    pytest.fail("nginx did not start")


def test_questions_go_through_nginx(proxy: tuple[str, Settings, Authority]) -> None:
    """Only the server behind the proxy can report that the warehouse is empty."""
    url, settings, authority = proxy
    token = add_token(settings.warehouse, "ann", Role.read, None)
    with pytest.raises(NotFound, match="is empty"):
        provhouse.connect(url, token, ca_file=authority.file).generations()


def test_a_wrong_token_is_refused_through_nginx(proxy: tuple[str, Settings, Authority]) -> None:
    url, _, authority = proxy
    with pytest.raises(UsageError, match="has no valid token"):
        provhouse.connect(url, "wrong", ca_file=authority.file).generations()

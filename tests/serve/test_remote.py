"""Settings and arguments that name a server: which of them are refused, and why."""

from pathlib import Path

import pytest

import provhouse
from helpers.certificate import Authority, encrypted
from provhouse.cli.app import run
from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.settings import Settings
from provhouse.serve.listening import check_listening, listen, server_names
from provhouse.serve.remote import checked_token, remote_server


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def files(authority: Authority) -> tuple[Path, Path]:
    return authority.sign("server", "IP:127.0.0.2")


@pytest.mark.parametrize("address", ["0.0.0.0:8443", "192.0.2.1:443", "[::]:8443", "127.0.0.2:80"])
def test_no_address_is_opened_without_a_certificate(address: str) -> None:
    settings = Settings(server_address=address, server_names="a.test")
    with pytest.raises(UsageError, match="does not listen at") as caught:
        check_listening(settings)
    assert "reverse proxy" in caught.value.remedy


@pytest.mark.parametrize(
    "address", ["8443", "0.0.0.0", "0.0.0.0:", "0.0.0.0:0", "0.0.0.0:65536", "a.test:1", ":1", "x"]
)
def test_an_odd_address_is_refused(address: str, files: tuple[Path, Path]) -> None:
    settings = Settings(server_address=address, server_certificate=files[0], server_key=files[1])
    with pytest.raises(UsageError, match="not an IP address with a port"):
        check_listening(settings)


def test_a_certificate_needs_its_own_key_without_a_password(
    authority: Authority, files: tuple[Path, Path], tmp_path: Path
) -> None:
    certificate, key = files
    both = tmp_path / "both.pem"
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    address = "127.0.0.2:8443"
    check_listening(Settings(server_address=address, server_certificate=both))
    other = authority.sign("other", "IP:127.0.0.2")[1]
    (tmp_path / "text").write_text("no certificate")
    wrong = ((certificate, None), (certificate, other), (certificate, encrypted(key)),
             (certificate, tmp_path / "none"), (tmp_path / "text", key))  # fmt: skip
    for certificate, found in wrong:
        settings = Settings(
            server_address=address, server_certificate=certificate, server_key=found
        )
        with pytest.raises(UsageError, match="Cannot use the certificate"):
            check_listening(settings)


def test_names_are_hosts_and_are_needed_for_all_addresses(files: tuple[Path, Path]) -> None:
    every = Settings(
        server_address="0.0.0.0:8443", server_certificate=files[0], server_key=files[1]
    )
    with pytest.raises(UsageError, match="server_names is empty"):
        check_listening(every)
    for wrong in ("https://a.test", "a.test:8443", "a b", "*", "-a"):
        with pytest.raises(UsageError, match="is not a host name"):
            check_listening(Settings(server_names=wrong))
    assert server_names(Settings(server_names=" A.test, b ")) == {"a.test", "b"}
    assert server_names(Settings(server_address="[::1]:8443")) == {"::1"}
    assert server_names(Settings()) == frozenset()


def test_an_address_in_use_is_reported() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(Unavailable, match="cannot listen"):
        listen("127.0.0.1", first.getsockname()[1])


def test_a_port_in_use_is_reported_before_anything_is_started(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listen("127.0.0.1", 0) as taken, listen("127.0.0.2", 0) as other:
        port = taken.getsockname()[1]
        home = tmp_path / "neo4j"
        options = ["--warehouse", str(tmp_path / "w"), "--set", f"neo4j_home={home}"]
        assert run([*options, "--set", f"server_port={port}", "up"]) == 5
        assert f"cannot listen at 127.0.0.1, port {port}" in capsys.readouterr().err
        assert not home.exists()
        assert run(["crossfilter", str(tmp_path / "none.csv"), "--port", str(port)]) == 5
        address = f"127.0.0.2:{other.getsockname()[1]}"
        certificate, key = files
        settings = Settings(server_address=address, server_certificate=certificate, server_key=key)
        with pytest.raises(Unavailable, match=r"cannot listen at 127\.0\.0\.2"):
            check_listening(settings)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test:8443", "http://192.0.2.1:8642", "http://127.0.0.1", "a.test", "", "https://",
        "https://a.test/x", "https://ann:secret@a.test", "https://a.test:x", "ftp://a.test",
        "https://a.test?x", "https://[::1",
    ],
)  # fmt: skip
def test_a_url_that_is_no_server_is_refused(url: str) -> None:
    """Without TLS, a token is never sent to another machine."""
    with pytest.raises(UsageError, match="Cannot connect to"):
        remote_server(url)


def test_urls_of_servers_are_accepted() -> None:
    for url, address in (
        ("https://a.test", "https://a.test:443"), ("https://a.test:8443/", "https://a.test:8443"),
        ("https://[::1]:1", "https://[::1]:1"), ("http://localhost:5", "http://127.0.0.1:5"),
    ):  # fmt: skip
        assert remote_server(url).address == address


@pytest.mark.parametrize("token", ["", " ", "a b", "a\r\nX: y", "ü", "a\0"])
def test_what_cannot_be_a_token_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(UsageError, match="an invalid character") as caught:
        provhouse.connect("https://a.test", token)
    assert not token.strip() or token not in str(caught.value)
    assert checked_token(" abc\n") == "abc"


def test_a_file_of_authorities_must_exist(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no certificate")
    for name in ("none", "text"):
        with pytest.raises(UsageError, match="Cannot read the certificates"):
            provhouse.connect("https://a.test", "token", ca_file=tmp_path / name)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("ingest", "x.csv"), "needs the files of a warehouse"),
        (("status",), "needs the files of a warehouse"),
        (("token", "list"), "needs the files of a warehouse"),
        (("forget", "x"), "needs the files of a warehouse"),
        (("lineage", "x"), "There is no token for"),
        (("lineage", "x", "--out", "x.parquet"), "cannot write Parquet"),
        (("generations",), "There is no token for"),
        (("ops",), "There is no token for"),
        (("what-if", "--delete", "x"), "There is no token for"),
        (("why", "x"), "There is no token for"),
        (("subgraph", "x"), "There is no token for"),
        (("depends", "x", "--on", "y"), "There is no token for"),
        (("why-changed", "x", "--from", "1"), "There is no token for"),
        (("evaluate", "x", "--semiring", "count"), "There is no token for"),
        (("modules",), "There is no token for"),
        (("invocations", "m"), "There is no token for"),
        (("revisions",), "There is no token for"),
        (("results", "w"), "There is no token for"),
        (("list", "values", "op"), "There is no token for"),
        (("list", "values", "op", "--out", "x.parquet"), "There is no token for"),
        (("list", "catalogue"), "There is no token for"),
        (("lineage", "x", "--records"), "There is no token for"),
        (("impact", "x", "--records", "--out", "x.parquet"), "cannot write Parquet"),
        (("browser", "x"), "There is no token for"),
        (("browser",), "Open https://a.test/#view=browser"),
        (("browser", "--clear"), "needs the files of a warehouse"),
        (("reuse", "w@r1"), "There is no token for"),
        (("why-not-reused", "w@r1"), "There is no token for"),
        (("ops", "set", "x.csv"), "needs the files of a warehouse"),
    ],
)
def test_commands_that_a_server_cannot_run_are_refused(
    command: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["--server", "https://a.test", *command]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "warehouse").exists()

"""A Neo4j that provhouse does not run and that accepts only encrypted connections."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers.certificate import Authority, self_signed
from helpers.graphs import graph
from helpers.oracle import Oracle
from helpers.warehouse import House, content
from provhouse.cypher import neo4j_process as process
from provhouse.cypher.address import Address
from provhouse.cypher.config import ensure_password, free_ports, password_file, write_conf
from provhouse.cypher.driver import is_ready
from provhouse.cypher.external import external_address, verify
from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.model.settings import Settings

TRIPLES = graph(11).triples
VALID_FOR = "DNS:localhost,IP:127.0.0.1"
ENCRYPTED = """
server.bolt.tls_level=REQUIRED
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={certificate.parent}
dbms.ssl.policy.bolt.public_certificate={certificate.name}
dbms.ssl.policy.bolt.private_key={key.name}
dbms.ssl.policy.bolt.client_auth=NONE
"""


@dataclass(frozen=True)
class Server:
    """A TLS server: its port, its password file, and the certificates that clients must trust."""

    port: int
    password: Path
    trusted: Path

    def settings(self, uri: str) -> Settings:
        """Return settings with the address ``uri``, in which PORT stands for the server's port."""
        found = uri.replace("PORT", str(self.port))
        return Settings(neo4j_uri=found, neo4j_password_file=self.password)


@pytest.fixture(scope="module", params=["an authority", "itself"])
def theirs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server whose certificate is signed either by an authority or by itself."""
    home, folder = tmp_path_factory.mktemp("neo4j"), tmp_path_factory.mktemp("certificates")
    if request.param == "itself":
        certificate, key = self_signed(folder, VALID_FOR)
        trusted = certificate
    else:
        authority = Authority.create(folder)
        certificate, key = authority.sign("server", VALID_FOR)
        trusted = authority.file
    bolt, http = free_ports()
    password = ensure_password(home)
    write_conf(home, bolt, http, "64m")
    with (home / "conf" / "neo4j.conf").open("a") as conf:
        conf.write(ENCRYPTED.format(certificate=certificate, key=key))
    address = Address(f"bolt+s://localhost:{bolt}", "", "neo4j", password, password_file(home))
    number = process.start(home, "512m", briefly=True)
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("SSL_CERT_FILE", str(trusted))
            process.await_ready(number, home, lambda: is_ready(address))
        yield Server(bolt, password_file(home), trusted)
    finally:
        process.stop(number, home)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s"])
def test_a_warehouse_works_over_tls(
    houses: Callable[..., House], theirs: Server, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(theirs.trusted))
    settings = theirs.settings(f"{scheme}://localhost:PORT")
    assert verify(external_address(settings)).startswith("5.26.")
    house = houses(
        theta=5, pack=0, partition_triples=10, neo4j_home=None, neo4j_uri=settings.neo4j_uri,
        neo4j_password_file=theirs.password,
    )  # fmt: skip
    house.ingest(TRIPLES[:20])
    house.ingest(TRIPLES[20:])
    house.check_deep()
    oracle = Oracle.of(TRIPLES)
    with house.asker() as asker:
        for item in sorted({triple.dst for triple in TRIPLES[::5]}):
            assert content(asker.ask(item, "upstream")) == oracle.ask(item, "upstream")


@pytest.mark.long
@pytest.mark.parametrize(
    ("uri", "trusted", "problem"),
    [
        ("bolt+s://localhost:PORT", False, "certificate of Neo4j at .* cannot be verified"),
        ("neo4j+s://localhost:PORT", False, "certificate of Neo4j at .* cannot be verified"),
        ("bolt://localhost:PORT", True, "does not answer"),
    ],
)
def test_a_connection_that_is_not_safe_is_refused(
    theirs: Server, uri: str, trusted: bool, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(theirs.trusted))
    with pytest.raises(ProvhouseError, match=problem):
        verify(external_address(theirs.settings(uri)))


@pytest.mark.parametrize("scheme", ["bolt+ssc", "neo4j+ssc"])
def test_an_address_that_accepts_any_certificate_is_refused(scheme: str) -> None:
    with pytest.raises(UsageError, match="would accept any certificate") as raised:
        external_address(Settings(neo4j_uri=f"{scheme}://localhost"))
    assert "SSL_CERT_FILE" in raised.value.remedy

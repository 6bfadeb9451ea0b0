"""Python programs get equal objects and errors with a server and without one."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import provhouse
from helpers import base_only
from helpers.certificate import Authority
from helpers.warehouse import House
from provhouse.reader import Reader
from provhouse.serve import server_file

QUESTIONS: dict[str, Callable[[Reader], Any]] = {
    "lineage": lambda asked: asked.lineage("revenue/2026-03"),
    "filtered": lambda asked: asked.lineage("revenue/2026-03", tables=["orders"], limit=1),
    "where": lambda asked: asked.impact("prices/milk", where={"by": "nightly"}, as_of=1),
    "summary": lambda asked: asked.lineage("revenue/2026-03", summary=True),
    "nothing": lambda asked: asked.impact("revenue/2026-03"),
    "path": lambda asked: asked.path("prices/milk", "revenue/2026-03"),
    "paths": lambda asked: asked.path("prices/milk", "revenue/2026-03", every=True),
    "earlier path": lambda asked: asked.path("prices/milk", "revenue/2026-03", as_of=1),
    "sets": lambda asked: asked.lineage("revenue/2026-03", sets=True),
    "find": lambda asked: asked.find("or", table="orders", limit=1),
    "explain": lambda asked: asked.explain("prices/milk", "downstream", depth=2),
    "diff": lambda asked: asked.diff("revenue/2026-03", since=1),
}
ERRORS: dict[str, Callable[[Reader], Any]] = {
    "no item": lambda asked: asked.lineage("nothing"),
    "no table": lambda asked: asked.lineage("revenue/2026-03", tables=["order"]),
    "no path": lambda asked: asked.path("revenue/2026-03", "prices/milk"),
    "no generation": lambda asked: asked.diff("revenue/2026-03", since=7),
    "no generation of a path": lambda asked: asked.path("prices/milk", "revenue/2026-03", as_of=7),
}


@pytest.fixture(scope="module")
def asked(first: House) -> Iterator[provhouse.Warehouse]:
    with first.open() as warehouse:
        yield warehouse


@pytest.fixture
def secured(second: House, authority: Authority) -> Iterator[provhouse.Connection]:
    """A connection with TLS to the server of ``second``."""
    url, token = f"https://{second.settings.server_address}", second.settings.warehouse
    trusted = authority.file
    with provhouse.connect(url, server_file.token(token), ca_file=trusted) as connection:
        yield connection


def timeless(result: Any) -> Any:
    """Return a result without the fields that differ between warehouses with equal contents."""
    names = {field.name for field in fields(result)}
    empty: dict[str, Any] = {"seconds": {}, "time": ""}
    changed = {name: value for name, value in empty.items() if name in names}
    if isinstance(result, provhouse.Diff):
        for name in ("since", "until"):
            changed[name] = replace(getattr(result, name), time="")
    return replace(result, **changed)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_server_returns_the_same_objects(
    name: str, asked: provhouse.Warehouse, connection: provhouse.Connection
) -> None:
    ask = QUESTIONS[name]
    local, remote = ask(asked), ask(connection)
    assert timeless(remote) == timeless(local)
    assert type(remote) is type(local)
    assert remote._repr_html_().count("<tr>") == local._repr_html_().count("<tr>")


CLIENT = """
import provhouse, sys
with provhouse.connect({address!r}, {token!r}) as server:
    print([item.item for item in server.lineage("invoices/9").items])
    print(server.find("invoices").items, server.generations()[0].generation)
    print(server.path("prices/milk", "revenue/2026-03").triples[0])
from provhouse.cli.app import run
sys.exit(run(["--server", {address!r}, "--set", "token_file=token", "impact", "prices/milk"]))
"""


@pytest.mark.long
def test_a_client_needs_only_the_base(second: House, tmp_path: Path) -> None:
    server = server_file.running(second.settings.warehouse)
    assert server
    token = server_file.token(second.settings.warehouse)
    (tmp_path / "token").write_text(token)
    done = base_only.run(CLIENT.format(address=server.address, token=token), tmp_path)
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert first == "['orders/17', 'orders/18', 'prices/milk', 'prices/tea']"
    assert '"revenue/2026-03"' in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_a_server_with_tls_returns_the_same_objects(
    name: str, asked: provhouse.Warehouse, secured: provhouse.Connection
) -> None:
    ask = QUESTIONS[name]
    assert timeless(ask(secured)) == timeless(ask(asked))


@pytest.mark.long
def test_a_server_lists_the_same_generations(
    asked: provhouse.Warehouse, connection: provhouse.Connection
) -> None:
    local, remote = (
        [replace(one, time="") for one in each.generations()] for each in (asked, connection)
    )
    assert local == remote


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_server_raises_the_same_errors(
    name: str, asked: provhouse.Warehouse, connection: provhouse.Connection
) -> None:
    raised = []
    for each in (asked, connection):
        with pytest.raises(provhouse.ProvhouseError) as error:
            ERRORS[name](each)
        raised.append((error.type, error.value.wanted, error.value.remedy))
    assert raised[0] == raised[1]


@pytest.mark.long
def test_an_open_warehouse_asks_its_server(second: House) -> None:
    with second.open() as warehouse:
        assert len(warehouse.lineage("revenue/2026-03").items) == 6
        assert warehouse._asker is None


@pytest.mark.long
def test_a_wrong_token_is_refused(connection: provhouse.Connection, second: House) -> None:
    address = connection._client._server.address
    with provhouse.connect(address, "wrong") as refused, pytest.raises(provhouse.ProvhouseError):
        refused.generations()


@pytest.mark.parametrize(
    "address", ["127.0.0.1:80", "https://127.0.0.1:80/x", "http://example.com"]
)
def test_an_address_that_is_no_server_is_reported(address: str) -> None:
    with pytest.raises(provhouse.UsageError, match="Cannot connect to"):
        provhouse.connect(address, "token")

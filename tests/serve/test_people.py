"""People with their own tokens use a running server. The log of writers names these people."""

import json
from typing import TYPE_CHECKING

import pytest
import requests

from provhouse.cli.app import run
from provhouse.serve.tokens import Role, add_token, revoke_token

if TYPE_CHECKING:
    from .conftest import Served


def asked(served: "Served", token: str, method: str, path: str) -> requests.Response:
    headers = {"Authorization": f"Bearer {token}"}
    body = {"json": {"item": "t:9"}} if method == "POST" else {}
    address = served.server.address + path
    return requests.request(method, address, headers=headers, timeout=120, **body)  # type: ignore[arg-type]


def test_a_running_server_follows_the_tokens_and_logs_the_writers(
    served: "Served", capsys: pytest.CaptureFixture[str]
) -> None:
    warehouse = served.house.settings.warehouse
    where = ("--warehouse", str(warehouse))
    assert run([*where, "token", "add", "ann", "--role", "read", "--until", "2999-12-31"]) == 0
    reader = capsys.readouterr().out.strip()
    writer = add_token(warehouse, "bob", Role.write, None)
    file = warehouse / "logs" / "writers.jsonl"
    before = len(file.read_text()) if file.exists() else 0
    answers = {asked(served, one, "GET", "/v1/lineage?item=t:9").content
               for one in (reader, writer, served.token)}  # fmt: skip
    assert len({len(json.loads(answer)["items"]) for answer in answers}) == 1
    assert asked(served, reader, "POST", "/v1/view").status_code == 403
    assert asked(served, writer, "POST", "/v1/view").status_code == 200
    assert asked(served, writer, "GET", "/v1/metrics").status_code == 403
    revoke_token(warehouse, "bob")
    assert asked(served, writer, "POST", "/v1/view").status_code == 401
    log = file.read_text()[before:]
    views = [line for line in map(json.loads, log.splitlines()) if line["event"] == "view"]
    assert [(line["person"], line["address"]) for line in views] == [("bob", "127.0.0.1")]
    assert "t:9" not in log
    for other in (other for other in warehouse.glob("logs/*") if other.is_file()):
        assert not [one for one in (reader, writer) if one in other.read_text()], other

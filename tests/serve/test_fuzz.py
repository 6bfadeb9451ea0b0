"""Requests of any kind to a real server: each is answered or refused, none is a defect.

`PROVHOUSE_FUZZ=7000 pytest tests/serve/test_fuzz.py -s -m 'long or not long'` tries 7,000, and lets
schemathesis, where it is installed, make up as many as it can think of from the OpenAPI document.
"""

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
import requests

from helpers.hostile import HOSTILE
from provhouse.serve import state

if TYPE_CHECKING:
    from .conftest import Served

REQUESTS = int(os.environ.get("PROVHOUSE_FUZZ", "150"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
GROWTH = 300 << 20
PATHS = (
    "lineage",
    "impact",
    "path",
    "find",
    "explain",
    "diff",
    "generations",
    "status",
    "metrics",
    "x",
)
FIELDS = (
    "item", "items", "from", "to", "all", "text", "anywhere", "table", "tables", "ops", "where",
    "limit", "depth", "method", "direction", "through", "ends", "summary", "as_of", "width",
    "color", "csv_safe", "",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1, 3, 2**31, 2**63, 2**64, 10**30, 1.5, -0.0, "1", "t:1", "t:9", "t", "op 1",
    "2", "2026-01-01", "9999-12-31T23:59:59Z", "0001-01-01", "upstream", "rq", "csprov", [], {},
    ["t:1"], [["k", "v"]], [["k"]], {"a": 1}, [None], [[[]]], [1],
)  # fmt: skip


def value(chance: random.Random) -> Any:
    return chance.choice(HOSTILE) if chance.random() < 0.3 else chance.choice(ODD)


def request(chance: random.Random) -> dict[str, Any]:
    fields = {chance.choice(FIELDS): value(chance) for _ in range(chance.randint(0, 4))}
    if chance.random() < 0.6:
        fields |= (
            {"item": "t:9", "text": "t"} if chance.random() < 0.7 else {"from": "t:0", "to": 1}
        )
    asked: dict[str, Any] = {
        "method": chance.choice(("GET", "GET", "POST", "POST", "POST", "PUT", "HEAD")),
        "path": f"/v1/{chance.choice(PATHS)}",
        "headers": {"Accept": chance.choice(("*/*", "text/csv", "text/plain", "x", ";;,", "a/b"))},
    }
    if asked["method"] != "POST":
        short = {k: v for k, v in fields.items() if len(str(v)) < 5_000}
        return {**asked, "params": short}
    body = json.dumps(fields).encode()
    if chance.random() < 0.2:
        at = chance.randint(0, len(body))
        body = body[:at] + bytes([chance.randrange(256)]) + body[at + chance.randint(0, 1) :]
    asked["headers"]["Content-Type"] = chance.choice(("application/json",) * 5 + ("text/plain", ""))
    return {**asked, "data": body}


def test_any_request(served: "Served") -> None:
    ends: Counter[int] = Counter()
    token = state.token(served.house.settings.warehouse)
    memory = served.process.memory_info().rss
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        for number in range(REQUESTS):
            asked = request(random.Random(f"{SEED} request {number}"))
            address = served.state.address + asked.pop("path")
            reply = session.request(url=address, timeout=120, **asked)
            told = f"seed {SEED}, request {number}: {address} {asked} {reply.text[:500]}"
            assert reply.status_code < 500, told
            if reply.status_code >= 400 and asked["method"] != "HEAD":
                assert reply.json()["status"] == reply.status_code, told
                assert "Traceback" not in reply.text, told
            ends[reply.status_code] += 1
    assert {200, 400} <= set(ends)
    assert served.process.memory_info().rss - memory < GROWTH
    print("requests by status", dict(ends))


@pytest.mark.long
@pytest.mark.skipif(not find_spec("schemathesis"), reason="make fuzz installs schemathesis")
def test_what_schemathesis_thinks_of(served: "Served") -> None:
    """Of its checks those that ask for no defect and for documented answers."""
    token = state.token(served.house.settings.warehouse)
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{served.state.address}/v1/openapi.json",
        "--header", f"Authorization: Bearer {token}", "--checks",
        "not_a_server_error,response_schema_conformance", "--max-examples", str(REQUESTS // 10),
        "--seed", str(SEED), "--generation-database", "none", "--phases", "coverage,fuzzing",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = (done.stdout + done.stderr).replace(token, "TOKEN")
    assert done.returncode == 0, told[-6000:]
    print("schemathesis", *re.findall(r"^.*generated.*$", told, re.MULTILINE))

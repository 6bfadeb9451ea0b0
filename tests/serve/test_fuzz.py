"""Random requests to a real server: each is answered or refused, without an internal error.

`PROVHOUSE_FUZZ=7000 pytest tests/serve/test_fuzz.py -s -m 'long or not long'` sends 7,000 requests.
If schemathesis is installed, it derives a few thousand more requests from the OpenAPI document.
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

from helpers.fuzzed import fuzzed
from helpers.hostile import HOSTILE

if TYPE_CHECKING:
    from .conftest import Served

REQUESTS = int(os.environ.get("PROVHOUSE_FUZZ", "50"))
SEED = int(os.environ.get("PROVHOUSE_FUZZ_SEED", "0"))
LINEAGE = (
    "item", "method", "depth", "through", "tables", "ops", "ends", "limit", "summary", "as_of",
)  # fmt: skip
ASKED: dict[str, tuple[str, ...]] = {
    "lineage": LINEAGE,
    "impact": LINEAGE,
    "path": ("from", "to", "all"),
    "subgraph": ("item", "as_of"),
    "find": ("text", "anywhere", "table", "limit"),
    "explain": ("item", "direction", "method", "depth", "as_of"),
    "diff": ("item", "from", "to", "direction"),
    "ops": ("as_of",),
    "what-if": ("items", "tables", "ops", "files", "runs", "summary", "as_of"),
    "what-if-each": ("item", "limit", "as_of"),
    "depends": ("item", "on", "as_of"),
    "why": ("item", "limit", "as_of"),
    "why-changed": ("item", "from", "to", "limit"),
    "evaluate": ("item", "semiring", "aggregates", "as_of"),
    "zoom": (*LINEAGE, "zoom", "fold"),
    "zoom-path": ("from", "to", "all", "zoom", "fold"),
    "zoom-diff": ("item", "from", "to", "direction", "zoom", "fold"),
    "zoom-what-if": ("items", "tables", "ops", "files", "runs", "as_of", "zoom", "fold"),
    "modules": ("as_of",),
    "invocations": ("module", "run", "as_of"),
}
"""The parameters of each route. The required parameters come first."""
RIGHT: dict[str, tuple[Any, ...]] = {
    "item": ("t:9", "t:0", "t:150"), "from": ("t:0", "t:3", 1), "to": ("t:9", "t:40", 1),
    "text": ("t", "t:1", ""), "method": ("auto", "auto", "csprov", "rq", "ccprov"),
    "depth": (1, 2, 30), "limit": (1, 5), "through": ("t",), "tables": (["t"],),
    "table": ("t", ""), "ops": (["op 1"], ["op 0", "x"]), "as_of": (1, "1", "9999-12-31"),
    "direction": ("upstream", "downstream"),
}  # fmt: skip
PATHS = (*ASKED, "generations", "status", "metrics", "x")
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


def odd(chance: random.Random) -> dict[str, Any]:
    return {chance.choice(FIELDS): value(chance) for _ in range(chance.randint(0, 4))}


def nearly_right(chance: random.Random, path: str) -> dict[str, Any]:
    """Return the required parameters and some optional ones.

    In half of the calls, one value is unusual.
    """
    known = ASKED[path]
    need = known[:2] if path in ("path", "diff") else known[:1]
    names = (*need, *chance.sample(known, chance.randint(0, len(known) // 2)))
    fields = {name: chance.choice(RIGHT.get(name, (True, False))) for name in names}
    if chance.random() < 0.5:
        fields[chance.choice(names)] = value(chance)
    return fields


def request(chance: random.Random) -> dict[str, Any]:
    path = chance.choice(PATHS)
    may = path in ASKED and chance.random() < 0.7
    fields = nearly_right(chance, path) if may else odd(chance)
    asked: dict[str, Any] = {
        "method": chance.choice(("GET", "GET", "POST", "POST", "POST", "PUT", "HEAD")),
        "path": f"/v1/{path}",
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


def test_random_requests_are_answered_or_refused(served: "Served") -> None:
    token = served.token
    with fuzzed("HTTP requests", served.server.pid) as ends, requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        for number in range(REQUESTS):
            asked = request(random.Random(f"{SEED} request {number}"))
            address = served.server.address + asked.pop("path")
            reply = session.request(url=address, timeout=120, **asked)
            told = f"seed {SEED}, request {number}: {address} {asked} {reply.text[:500]}"
            assert reply.status_code < 500, told
            if reply.status_code >= 400 and asked["method"] != "HEAD":
                assert reply.json()["status"] == reply.status_code, told
                assert "Traceback" not in reply.text, told
            ends[str(reply.status_code)] += 1
    assert min(ends["200"], ends["400"]) > REQUESTS // 20


@pytest.mark.long
@pytest.mark.skipif(not find_spec("schemathesis"), reason="make fuzz installs schemathesis")
def test_schemathesis_finds_no_error(served: "Served") -> None:
    """schemathesis checks that no request causes an internal error.

    It also checks that the responses fit their schema.
    """
    token = served.token
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{served.server.address}/v1/openapi.json",
        "--header", f"Authorization: Bearer {token}", "--checks",
        "not_a_server_error,response_schema_conformance", "--max-examples", str(REQUESTS // 50),
        "--seed", str(SEED), "--generation-database", "none", "--phases", "coverage,fuzzing",
        "--request-timeout", "120", "--suppress-health-check", "all",
    ]  # fmt: skip
    with fuzzed("HTTP requests by schemathesis", served.server.pid) as ends:
        before = answered(served)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        told = (done.stdout + done.stderr).replace(token, "TOKEN")
        assert done.returncode == 0, told[-6000:]
        ends.update(answered(served) - before)
        ends["200"] -= 2  # one request for the document, and one for the earlier metrics


def answered(served: "Served") -> Counter[str]:
    """Return, by status, the number of requests that the server has answered so far."""
    ends: Counter[str] = Counter()
    counts = r'^provhouse_requests_total{.*status="(\d+)"} ([\d.e+]+)$'
    for status, count in re.findall(counts, served.get("/v1/metrics").text, re.MULTILINE):
        ends[status] += int(float(count))
    return ends

"""The HTTP interface keeps its OpenAPI document, headers, problem documents and metrics."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi import FastAPI

import provhouse.capturing.refused  # the error that it defines is one of those listed
import provhouse.sql.not_covered  # the error that it defines is one of those listed
import provhouse.tracking.refusals  # noqa: F401  # the error that it defines is one of those listed
from helpers.asgi import HOST, Reply, send_request
from helpers.lived import Lived
from helpers.structure import dumped, kinds, wordless
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People
from provhouse.serve.problems import Crowded, install_handlers

Golden = Callable[[str, str], None]
TOKEN = {"authorization": "Bearer secret"}
ACCESS = Access(People(Path("none"), "secret"), frozenset({HOST}))
COUNTED = ("content-length", "age")
"""Headers with numbers that may change."""
LARGE = {"content-length": str((16 << 20) + 1)}
REFUSED: dict[str, tuple[str, str, dict[str, str], bytes]] = {
    "no token": ("GET", "/v1/status", {"authorization": ""}, b""),
    "another host": ("GET", "/v1/status", {"host": "evil.example"}, b""),
    "too large": ("POST", "/v1/lineage", LARGE, b"{}"),
    "no such path": ("GET", "/v1/nothing", {}, b""),
    "no such method": ("DELETE", "/v1/lineage", {}, b""),
    "no item": ("GET", "/v1/lineage", {}, b""),
    "another parameter": ("GET", "/v1/lineage?item=x&dept=1", {}, b""),
    "another field": ("POST", "/v1/find", {}, b'{"text":"x","dept":1}'),
    "no JSON": ("POST", "/v1/find", {}, b"{"),
    "another form": ("GET", "/v1/lineage?item=x", {"accept": "image/png"}, b""),
    "nothing ingested": ("GET", "/v1/lineage?item=x", {}, b""),
    "nothing ingested, health": ("GET", "/v1/health", {}, b""),
}
"""Requests to send to the server of a missing warehouse."""
MANY = b'{"items":["report","no such \xc3\xbc"]}'
ASKED: dict[str, tuple[str, str, dict[str, str], bytes]] = {
    "health": ("GET", "/v1/health", {"authorization": ""}, b""),
    "status": ("GET", "/v1/status", {}, b""),
    "document": ("GET", "/v1/openapi.json", {}, b""),
    "metrics": ("GET", "/v1/metrics", {}, b""),
    "lineage": ("GET", "/v1/lineage?item=report", {}, b""),
    "lineage again": ("GET", "/v1/lineage?item=report", {}, b""),
    "lineage, posted": ("POST", "/v1/lineage", {}, b'{"item":"raw:1"}'),
    "lineage, not held": ("GET", "/v1/lineage?item=nobody", {}, b""),
    "impact, lines": ("GET", "/v1/impact?item=raw:1", {"accept": "application/jsonl"}, b""),
    "impact, CSV": ("GET", "/v1/impact?item=raw:1&csv_safe=1", {"accept": "text/csv"}, b""),
    "impact, a table": ("GET", "/v1/impact?item=raw:1&width=80", {"accept": "text/plain"}, b""),
    "many": ("POST", "/v1/lineage", {}, MANY),
    "many, lines": ("POST", "/v1/lineage", {"accept": "application/jsonl"}, MANY),
    "many, all held": ("POST", "/v1/lineage", {}, b'{"items":["report"]}'),
    "path": ("GET", "/v1/path?from=raw:1&to=report&all=true", {}, b""),
    "find": ("GET", "/v1/find?text=raw", {}, b""),
    "explain": ("GET", "/v1/explain?item=report", {}, b""),
    "diff": ("GET", "/v1/diff?item=report&from=1", {}, b""),
    "generations": ("GET", "/v1/generations", {}, b""),
}
"""Requests to send to the server of a warehouse with data."""


def asked(app: Any, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
    """Send a request with the test's token, unless the headers contain another token."""
    return send_request(app, method, path, {**TOKEN, **headers}, body)


def shape(reply: Reply) -> dict[str, Any]:
    """Return a reply's status and headers and, for an error, the fields of the problem document."""
    headers = {name: "N" if name in COUNTED else value for name, value in reply.headers}
    found: dict[str, Any] = {"status": reply.status, "headers": headers}
    if reply.status >= 400:
        document = json.loads(reply.body)
        found["fields"] = kinds(document)
        found["exit_status"] = document.get("exit_status")
        found["type"] = document.get("type", "about:blank")
        assert document.get("status", reply.status) == reply.status
    return found


def classes(root: type[ProvhouseError]) -> Iterator[type[ProvhouseError]]:
    """Yield a class of errors and all its subclasses."""
    yield root
    for each in root.__subclasses__():
        yield from classes(each)


@pytest.fixture
def served(lived: Lived) -> Iterator[FastAPI]:
    """The application that serves a warehouse with data, ready to answer."""
    keeper = Keeper(lived.house.settings, Silent())
    app = application(keeper, lived.house.settings, ACCESS)
    assert send_request(app, "GET", "/v1/health").status == 503
    keeper.start()
    try:
        deadline = monotonic() + 60
        while send_request(app, "GET", "/v1/health").status != 200:
            assert monotonic() < deadline, keeper.not_ready_reason
            sleep(0.02)
        yield app
    finally:
        keeper.close()


@pytest.fixture
def empty(tmp_path: Path) -> FastAPI:
    """The application that serves a missing warehouse."""
    settings = Settings(warehouse=tmp_path / "none")
    return application(Keeper(settings, Silent()), settings, ACCESS)


def test_the_openapi_document_is_the_same(empty: FastAPI, golden: Golden) -> None:
    document = wordless(json.loads(asked(empty, "GET", "/v1/openapi.json", {}, b"").body))
    document["info"].pop("version")
    golden("openapi.json", dumped(document))


def test_errors_have_the_same_problem_documents(golden: Golden) -> None:
    """One of the errors is a bug in the program, so it is not a ProvhouseError."""
    app = FastAPI(openapi_url=None)
    install_handlers(app)
    kinds = {kind.__name__: kind for kind in classes(ProvhouseError)}
    assert Crowded.__name__ in kinds

    @app.get("/{name}")
    def fail(name: str) -> None:
        raise kinds[name]("wanted", "found", "remedy") if name in kinds else ZeroDivisionError

    found = {name: shape(send_request(app, "GET", f"/{name}")) for name in (*kinds, "defect")}
    golden("problems.json", dumped(found))


def test_refused_requests_have_the_same_replies(empty: FastAPI, golden: Golden) -> None:
    golden(
        "refusals.json",
        dumped({name: shape(asked(empty, *request)) for name, request in REFUSED.items()}),
    )


def test_replies_have_the_same_headers(served: FastAPI, golden: Golden) -> None:
    found = {name: shape(asked(served, *request)) for name, request in ASKED.items()}
    golden("headers.json", dumped(found))


def test_health_has_the_same_fields(served: FastAPI, empty: FastAPI, golden: Golden) -> None:
    found = {
        "ready": kinds(json.loads(send_request(served, "GET", "/v1/health").body)),
        "empty": kinds(json.loads(send_request(empty, "GET", "/v1/health").body)),
    }
    golden("health.json", dumped(found))


def test_metrics_have_the_same_names_and_labels(served: FastAPI, golden: Golden) -> None:
    for request in ASKED.values():
        asked(served, *request)
    text = asked(served, "GET", "/v1/metrics", {}, b"").body.decode()
    lines = {re.sub(r" [^ ]+$", "", line) for line in text.splitlines() if line[0] != "#"}
    lines |= {line for line in text.splitlines() if line.startswith("# TYPE")}
    golden("metrics.txt", "".join(f"{line}\n" for line in sorted(lines)))

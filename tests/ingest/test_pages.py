"""The traces and commands of the pages on derivations, formats and OpenLineage, run as typed."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from helpers.pages import blocks, enter, typed
from provhouse.cli.app import run

pytestmark = pytest.mark.long


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Return what a command prints as JSON."""
    capsys.readouterr()
    assert run([*words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def items(capsys: pytest.CaptureFixture[str], *words: str) -> set[str]:
    """Return the items that an answer lists."""
    return {each["item"] for each in answer(capsys, *words)["items"]}


def test_the_page_of_derivations(page_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, shared, operations, asked = blocks("derivations.md", "")
    Path("trace.csv").write_text(trace)
    Path("shared.csv").write_text(shared)
    Path("ops.csv").write_text(operations)
    enter(typed(asked), capsys)
    assert items(capsys, "lineage", "revenue/2026-03") == {
        "invoices/9", "invoices/10", "orders/17", "customers/4",
    }  # fmt: skip
    listed = {each["op"]: each for each in answer(capsys, "list", "ops")}
    assert listed["sum up"]["place"] == "etl.py:57"
    enter(["provhouse ingest shared.csv"], capsys)
    assert items(capsys, "lineage", "ranked/2") == {"sales/1", "sales/2"}
    without = answer(capsys, "what-if", "--delete", "customers/4")
    assert "invoices/9" in json.dumps(without)


def test_the_page_of_formats(page_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("orders.csv").write_text("order_id,customer_id,price\n17,4,9\n18,,3\n")
    (block,) = blocks("formats.md", "sh")
    enter(typed(block), capsys)
    assert items(capsys, "lineage", "orders/17") == {"customers/4"}


class Marquez(BaseHTTPRequestHandler):
    """A service that keeps the events that it receives."""

    events: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        """Keep an event."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.events.append((self.path, json.loads(body)))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def marquez() -> Iterator[str]:
    """The address of a service for events."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Marquez) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_page_of_openlineage(
    page_folder: Path, marquez: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = Path(__file__).parents[2] / "examples" / "first" / "orders.csv"
    assert run(["ingest", str(first)]) == 0
    writing, reading = blocks("openlineage.md", "")
    enter(typed(writing.replace("http://marquez:5000", marquez)), capsys)
    written = [json.loads(line) for line in Path("events.jsonl").read_text().splitlines()]
    assert {path for path, _ in Marquez.events} == {"/api/v1/lineage"}
    assert len(Marquez.events) == len(written) > 0
    assert {event["job"]["namespace"] for _, event in Marquez.events} == {"shop"}
    for name, job in (("airflow", "load"), ("spark", "bill")):
        event = written[0] | {
            "eventType": "COMPLETE", "job": {"namespace": name, "name": job},
            "run": {"runId": f"00000000-0000-4000-8000-00000000000{len(job)}"},
            "inputs": [{"namespace": "sftp://partner", "name": "/in/shop.csv"}],
            "outputs": [{"namespace": "postgres://db", "name": "shop.public.orders"}],
        }  # fmt: skip
        Path(f"{name}.jsonl").write_text(json.dumps(event) + "\n")
    *read, zoom = typed(reading)
    listed = enter(read, capsys)
    assert "load" in listed
    assert "shop.public.orders" in listed
    assert "/in/shop.csv" in enter([zoom], capsys)

"""OpenLineage events written by provhouse, and the catalogue with a warehouse's tables.

The official client's own classes read each event: they refuse unknown and missing fields, and
contain the address of each facet's schema. The schemas themselves are not part of the client.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openlineage.client import event_v2, facet_v2
from openlineage.client.serde import Serde

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.ingest.openlineage_catalogue import ingest_events
from provhouse.model.column_map import ColumnMap
from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import Question
from provhouse.model.settings import Settings
from provhouse.query.catalogue import catalogue
from provhouse.query.exporting.openlineage_events import RECORD_LEVEL, run_events
from provhouse.query.exporting.openlineage_sent import send
from provhouse.query.zoom.zoom_path import zoom_path
from provhouse.query.zoom.zoomed import zoom
from provhouse.store.tables.pins import Pin, add_pins
from provhouse.store.tables.written import Written, add_written
from provhouse.store.warehouse.layout import Layout

Json = dict[str, Any]
FIRST = [
    Triple("raw/1", "clean/1", "strip", "raw", "clean"),
    Triple("raw/2", "clean/2", "strip", "raw", "clean"),
    Triple("ref/1", "clean/1", "look up", "ref", "clean"),
    Triple("clean/1", "to 'tal/1", "total", "clean", "to 'tal"),
    Triple("loose", "clean/1", "", "", "clean"),
]
SECOND = [Triple("clean/2", "to 'tal/1", "total", "clean", "to 'tal")]
OUTSIDE: list[Json] = [
    {
        "eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z",
        "run": {"runId": "00000000-0000-4000-8000-000000000001"},
        "job": {"namespace": "airflow", "name": "load"}, "producer": "https://example.com",
        "inputs": [{"namespace": "sftp://partner", "name": "/in/orders"}],
        "outputs": [{"namespace": "postgres://db", "name": "shop.public.raw"}],
    },
    {
        "eventType": "COMPLETE", "eventTime": "2026-01-01T00:00:00Z",
        "run": {"runId": "00000000-0000-4000-8000-000000000002"},
        "job": {"namespace": "airflow", "name": "publish"}, "producer": "https://example.com",
        "inputs": [{"namespace": "file", "name": "/data/to 'tal"}],
        "outputs": [{"namespace": "bi", "name": "dashboard"}],
    },
]  # fmt: skip
FACETS = {
    "schema": facet_v2.schema_dataset.SchemaDatasetFacet,
    "columnLineage": facet_v2.column_lineage_dataset.ColumnLineageDatasetFacet,
    "parent": facet_v2.parent_run.ParentRunFacet,
    "sql": facet_v2.sql_job.SQLJobFacet,
    "jobType": facet_v2.job_type_job.JobTypeJobFacet,
}


def typed(event: Json) -> event_v2.RunEvent:
    """Return an event as an object of the official client; fail if the client refuses it."""
    found = {
        **event,
        "run": part(event_v2.Run, event["run"]),
        "job": part(event_v2.Job, event["job"]),
    }
    found["inputs"] = [part(event_v2.InputDataset, each) for each in event["inputs"]]
    found["outputs"] = [part(event_v2.OutputDataset, each) for each in event["outputs"]]
    schema = found.pop("schemaURL")
    read = event_v2.RunEvent(**{**found, "eventType": event_v2.RunState(event["eventType"])})
    assert read.schemaURL == schema
    return read


def part(kind: Any, content: Json) -> Any:
    facets = {name: facet(name, each) for name, each in content.get("facets", {}).items()}
    return kind(**{**content, "facets": facets})


def facet(name: str, content: Json) -> Any:
    """Return a facet as the client's object; for provhouse's own facet, a plain dataset facet."""
    own = dict(content)
    schema, producer = own.pop("_schemaURL"), own.pop("_producer")
    if name == RECORD_LEVEL:
        found = facet_v2.DatasetFacet(producer=producer)
        assert found._schemaURL == schema
        return found
    found = FACETS[name](**own, producer=producer)
    assert found._schemaURL == schema
    return found


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with two ingests, whose tables look as if captured jobs wrote them.

    `clean` is written by the run nightly, and `to 'tal` later by a run without a name.
    """
    house = houses(server_address="0.0.0.0:8443", server_names="lineage.example.com, other")
    folder = house.settings.warehouse.parent
    (folder / "ops.csv").write_text("op,kind,sql\ntotal,aggregate,select sum(x) from clean\n")
    file = folder / "clean.parquet"
    pq.write_table(pa.table({"id": [1], "name": ["a"]}), file)
    columns = ColumnMap(
        {"id": [("raw", "id")], "name": [("raw", "n"), ("ref", "n")]},
        {"name": [("raw", "day", "window")]},
        [("raw", "id", "filter"), ("ref", "k", "join")],
    )
    add_written(house.layout, [Written("clean", 1, (), (), "nightly", columns)])
    state = file.stat()
    pin = Pin("clean", (), file, state.st_size, state.st_mtime_ns // 1_000_000)
    house.ingest_files(house.write(FIRST), run="nightly", operations=folder / "ops.csv")
    add_pins(house.layout, [pin])
    totals = ColumnMap({"total": [("clean", "id")]}, {}, [])
    add_written(house.layout, [Written("to 'tal", 2, (), (), "", totals, after=1)])
    house.ingest_files(house.write(SECOND, "second.csv"))
    return house


def events_of(house: House, **options: Any) -> list[Json]:
    with run_events(house.settings, **options) as events:
        return list(events)


@pytest.mark.long
def test_the_official_client_knows_every_event(house: House) -> None:
    events = events_of(house)
    used = set()
    for event in events:
        written = Serde.to_dict(typed(event))
        assert written["run"]["runId"] == event["run"]["runId"]
        assert UUID(event["run"]["runId"])
        for each in (event["run"], event["job"], *event["inputs"], *event["outputs"]):
            used |= {*each.get("facets", {})}
    assert used == {*FACETS, RECORD_LEVEL}


def test_runs_have_the_tables_of_their_triples(house: House) -> None:
    events = events_of(house)
    found = {
        (event["job"]["name"], each["name"], output["name"])
        for event in events
        for output in event["outputs"]
        for each in event["inputs"]
    }
    names = {"nightly": FIRST, "ingest": SECOND}
    assert found == {
        (f"{run}.{each.dst_table}", each.src_table, each.dst_table)
        for run, triples in names.items()
        for each in triples
        if each.src_table
    }
    states = Counter((event["run"]["runId"], event["eventType"]) for event in events)
    assert {*states.values()} == {1}
    assert len({run for run, _ in states}) == 5
    assert {state for _, state in states} == {"START", "COMPLETE"}
    parents = {
        event["run"]["facets"]["parent"]["run"]["runId"] for event in events if event["outputs"]
    }
    assert parents == {event["run"]["runId"] for event in events if not event["outputs"]}


def output(events: list[Json], job: str) -> Json:
    (found,) = (
        each for each in events if (each["job"]["name"], each["eventType"]) == (job, "START")
    )
    return dict(found)


def test_facets_say_what_is_known(house: House) -> None:
    events = events_of(house, namespace="shop")
    clean = output(events, "nightly.clean")
    (made,) = clean["outputs"]
    assert made["facets"]["schema"]["fields"] == [
        {"name": "id", "type": "int64"}, {"name": "name", "type": "string"},
    ]  # fmt: skip
    lineage = made["facets"]["columnLineage"]
    direct, indirect = [{"type": "DIRECT"}], {"type": "INDIRECT"}

    def of(table: str, column: str, how: list[Json]) -> Json:
        return {"namespace": "shop", "name": table, "field": column, "transformations": how}

    assert lineage["fields"] == {
        "id": {"inputFields": [of("raw", "id", direct)]},
        "name": {
            "inputFields": [
                of("raw", "n", direct), of("ref", "n", direct),
                of("raw", "day", [{**indirect, "subtype": "WINDOW"}]),
            ]
        },
    }  # fmt: skip
    assert lineage["dataset"] == [
        of("raw", "id", [{**indirect, "subtype": "FILTER"}]),
        of("ref", "k", [{**indirect, "subtype": "JOIN"}]),
    ]
    total = output(events, "nightly.to 'tal")
    assert total["job"]["facets"]["sql"]["query"] == "select sum(x) from clean"
    assert total["inputs"][0]["facets"]["schema"]["fields"] == made["facets"]["schema"]["fields"]
    assert "columnLineage" not in total["outputs"][0]["facets"]
    (later,) = output(events, "ingest.to 'tal")["outputs"]
    assert later["facets"]["columnLineage"]["fields"] == {
        "total": {"inputFields": [of("clean", "id", direct)]}
    }


def test_the_record_level_has_an_address(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    (made,) = output(events_of(house), "nightly.to 'tal")["outputs"]
    found = made["facets"][RECORD_LEVEL]
    assert (found["generation"], found["triples"], found["newItems"]) == (1, 1, 1)
    address = "https://lineage.example.com:8443/v1/find?text=&table=to%20%27tal"
    assert found["address"] == address
    assert found["command"] == """provhouse find '' --table 'to '"'"'tal'"""
    named = ["find", "", "--table", "to 'tal", "--format", "json"]
    assert run(["--warehouse", str(house.settings.warehouse), *named]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert [each["item"] for each in items] == ["to 'tal/1"]


def test_ids_of_runs_stay_the_same(house: House) -> None:
    first = [each["run"]["runId"] for each in events_of(house)]
    assert [each["run"]["runId"] for each in events_of(house)] == first
    assert [each["run"]["runId"] for each in events_of(house, as_of=1)] == first[:6]


def test_a_file_has_what_the_command_says(
    house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Events that provhouse wrote are ingested like events of any other producer."""
    file = tmp_path / "events.jsonl"
    address = [f"--set=server_address={house.settings.server_address}"]
    address += [f"--set=server_names={house.settings.server_names}"]
    before = ["--warehouse", str(house.settings.warehouse), *address, "export"]
    options = [*before, "--openlineage", str(file)]
    assert run(options) == 0
    assert json.loads(capsys.readouterr().out) == {"events": 10, "to": str(file)}
    assert [json.loads(line) for line in file.read_text().splitlines()] == events_of(house)
    read = ingest_events([file], Settings(warehouse=tmp_path / "w"), Silent())
    assert (read.events, read.jobs, read.datasets) == (10, 5, 4)
    found = {
        (use.job, use.dataset, use.integration) for use in catalogue(Layout(tmp_path / "w")).uses
    }
    assert ("nightly.clean", "raw", "PROVHOUSE") in found
    for wrong in (["--lineage", "x"], [str(tmp_path / "folder")]):
        assert run([*options, *wrong]) == 2
    assert run([*before, "--namespace", "n", "folder"]) == 2
    assert "--namespace needs --openlineage" in capsys.readouterr().err


class Service(BaseHTTPRequestHandler):
    """A service that stores the events that it receives, and refuses events after ``most``."""

    received: ClassVar[list[tuple[str, str, Json]]]
    most: ClassVar[int] = 10

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if len(self.received) < self.most:
            self.received.append((self.path, self.headers.get("Authorization", ""), body))
            self.send_response(201)
        else:
            self.send_response(302)
            self.send_header("Location", self.path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[tuple[type[Service], str]]:
    class Own(Service):
        received: ClassVar[list[tuple[str, str, Json]]] = []

    with ThreadingHTTPServer(("127.0.0.1", 0), Own) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield Own, f"http://127.0.0.1:{server.server_port}/api/v1/lineage"
        server.shutdown()
        thread.join()


def test_events_are_posted_one_by_one(
    house: House, service: tuple[type[Service], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, url = service
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "secret")
    with run_events(house.settings) as events:
        assert send(events, url).events == 10
    assert [body for _, _, body in own.received] == events_of(house)
    assert {each[:2] for each in own.received} == {("/api/v1/lineage", "Bearer secret")}
    with run_events(house.settings) as events, pytest.raises(Unavailable) as error:
        send(events, url)
    assert error.value.wanted == f"{url} did not accept event 1"
    assert error.value.found == "Its reply has the status 302"


def test_a_service_that_is_not_there_and_a_key_without_encryption_are_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(Unavailable) as error:
        send(iter([{}]), "http://127.0.0.1:9/api")
    assert error.value.found == "It gives no reply: there is no connection"
    with pytest.raises(Unavailable) as error:
        send(iter([{}]), "http://[/api")
    assert error.value.found == "It gives no reply: bad address"
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "secret")
    with pytest.raises(UsageError, match="cannot be sent"):
        send(iter([{}]), "http://marquez:5000/api/v1/lineage")


@pytest.mark.long
def test_the_catalogue_is_shown_beside_the_tables(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    house = houses()
    house.ingest([*FIRST, *SECOND])
    with house.asker() as asker:
        before = zoom(asker, Question("raw/1", "downstream"), "catalogue")
        assert {*before.nodes["kind"].to_pylist()} == {"table"}
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(map(json.dumps, OUTSIDE)))
    ingest_events([file], house.settings, Silent())
    tables = {use.dataset: use.table for use in catalogue(house.layout).uses}
    assert tables == {
        "/in/orders": None, "shop.public.raw": "raw", "/data/to 'tal": "to 'tal", "dashboard": None,
    }  # fmt: skip
    with house.asker() as asker:
        down = zoom(asker, Question("raw/1", "downstream"), "catalogue")
        up = zoom(asker, Question("to 'tal/1", "upstream"), "catalogue")
        near = zoom(asker, Question("raw/1", "upstream", depth=1), "catalogue")
        between = zoom_path(asker, "raw/1", "to 'tal/1", "catalogue")
    assert nodes(down) == {("table", "raw"), ("table", "clean"), ("table", "to 'tal"),
                           ("dataset", "bi dashboard")}  # fmt: skip
    assert ("dataset", "sftp://partner /in/orders") in nodes(up)
    assert nodes(near) == {("table", "raw"), ("dataset", "sftp://partner /in/orders")}
    assert {kind for kind, _ in nodes(between)} == {"table"}
    (edge,) = (each for each in near.edges.to_pylist())
    assert (edge["op"], edge["triples"]) == ("load", 0)
    identities = {
        (each["namespace"], each["name"])
        for event in events_of(house)
        for each in (*event["inputs"], *event["outputs"])
    }
    assert identities == {
        ("postgres://db", "shop.public.raw"), ("provhouse", "ref"), ("provhouse", "clean"),
        ("file", "/data/to 'tal"),
    }  # fmt: skip
    retold = house.settings.warehouse
    command = ["--warehouse", str(retold), "lineage", "to 'tal/1", "--zoom", "catalogue"]
    assert run([*command, "--format", "table", "--out", str(tmp_path / "out.txt")]) == 0
    shown = " ".join((tmp_path / "out.txt").read_text().split())
    assert "4 other tables of the warehouse and 1 dataset of the catalogue." in shown


def nodes(view: Any) -> set[tuple[str, str]]:
    return {(each["kind"], each["name"]) for each in view.nodes.to_pylist()}

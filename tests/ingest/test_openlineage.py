"""Events of OpenLineage become a catalogue of jobs and datasets, from every common producer.

The events are written after public examples: of Airflow, dbt, Spark and Flink in the folders
``integration/*/tests`` and ``integration/*/src/test/resources`` of OpenLineage's repository, and of
Marquez in ``api/src/test/resources/open_lineage``.
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from provhouse.ingest.openlineage_catalogue import EventsRead, ingest_events
from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.catalogue import Use, catalogue, join
from provhouse.store.tables.openlineage_jobs import Dataset, JobRun, read_jobs
from provhouse.store.warehouse.layout import Layout

Event = dict[str, Any]
RUN = "3f5e83fa-3480-44ff-99c5-ff943904e5e8"
FACET = {"_producer": "https://example.com", "_schemaURL": "https://example.com/schema"}


def event(job: object = "job", time: str = "2026-01-01T00:00:00Z", **more: Any) -> Event:
    """Return an event with the required fields; ``more`` replaces fields, None removes one."""
    found = {
        "eventType": "COMPLETE", "eventTime": time, "run": {"runId": RUN},
        "job": {"namespace": "shop", "name": job} if isinstance(job, str) else job,
        "inputs": [], "outputs": [],
        "producer": "https://example.com/producer", **more,
    }  # fmt: skip
    return {name: each for name, each in found.items() if each is not None}


def dataset(namespace: str, name: str, *columns: str, alias: str = "", **facets: Any) -> Event:
    if columns:
        facets["schema"] = {**FACET, "fields": [{"name": each, "type": "int"} for each in columns]}
    if alias:
        names = [{"namespace": "hive://meta", "name": alias, "type": "TABLE"}]
        facets["symlinks"] = {**FACET, "identifiers": names}
    return {"namespace": namespace, "name": name, "facets": facets}


def kind(integration: str) -> Event:
    facet = {**FACET, "processingType": "BATCH", "integration": integration, "jobType": "TASK"}
    return {"jobType": facet}


POSTGRES = "postgres://postgres:5432"
AIRFLOW = [
    event(
        "orders.insert", "2026-01-01T00:00:00.123456789Z", eventType="START",
        run={"runId": RUN, "facets": {"airflow": {**FACET, "dag": {"dag_id": "orders"}}}},
        inputs=[dataset(POSTGRES, "food.public.times", dataSource=FACET)], outputs=None,
        producer="https://github.com/OpenLineage/OpenLineage/tree/0.0.1/integration/airflow",
    ),
    event(
        "orders.insert", "2026-01-01T00:00:09+00:00", inputs=[],
        outputs=[dataset(POSTGRES, "food.public.popular", "day", "placed")],
        producer="https://github.com/OpenLineage/OpenLineage/tree/0.0.1/integration/airflow",
    ),
]  # fmt: skip
DBT = [
    event(
        job={"namespace": "dbt", "name": "shop.main.shop.customers",
             "facets": {**kind("DBT"), "sql": {**FACET, "query": "select 1"}}},
        run={"runId": RUN, "facets": {"dbt_version": {**FACET, "version": "1.8.9"}}},
        inputs=[dataset("duckdb:///shop.duckdb", "shop.main.stg_orders")],
        outputs=[dataset("duckdb:///shop.duckdb", "shop.main.customers", "id", "name")],
    )
]  # fmt: skip
SPARK = [
    event(
        job={"namespace": "spark", "name": "app.create_table.target", "facets": kind("SPARK")},
        run={"runId": RUN, "facets": {"spark.logicalPlan": {**FACET, "plan": [{"class": "X"}]}}},
        inputs=[dataset("file", "/data/source", "a", "b")],
        outputs=[dataset("file", "/data/target", "a", alias="default.target",
                         columnLineage={**FACET, "fields": {}}, version=FACET)],
    )
]  # fmt: skip
FLINK = [
    event(
        eventType=state, time=f"2026-01-01T00:00:0{second}Z",
        job={"namespace": "flink-jobs", "name": "insert-into_output", "facets": kind("FLINK")},
        inputs=[dataset("kafka://kafka:9092", "in.topic", "price", alias="default.db.input")],
        outputs=[dataset("kafka://kafka:9092", "out.topic", "price", alias="default.db.output")],
        schemaURL="https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    )
    for second, state in enumerate(("START", "RUNNING"))
]  # fmt: skip
EXPECTED = {
    "AIRFLOW": [("reads", "food.public.times", 0), ("writes", "food.public.popular", 2)],
    "DBT": [("reads", "shop.main.stg_orders", 0), ("writes", "shop.main.customers", 2)],
    "SPARK": [("reads", "/data/source", 2), ("writes", "/data/target", 1)],
    "FLINK": [("reads", "in.topic", 1), ("writes", "out.topic", 1)],
}
"""By producer: how the producer's job uses a dataset, and the number of columns."""
EVENTS = {"AIRFLOW": AIRFLOW, "DBT": DBT, "SPARK": SPARK, "FLINK": FLINK}


def written(folder: Path, text: str | bytes, name: str = "events.jsonl") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def lines(*events: Event) -> str:
    return "".join(json.dumps(each) + "\n" for each in events)


def ingested(folder: Path, *files: Path) -> EventsRead:
    return ingest_events(files, Settings(warehouse=folder / "w"), Silent())


def uses(folder: Path) -> tuple[Use, ...]:
    return catalogue(Layout(folder / "w")).uses


@pytest.mark.parametrize("producer", EVENTS)
def test_events_of_common_producers_are_read(producer: str, tmp_path: Path) -> None:
    read = ingested(tmp_path, written(tmp_path, lines(*EVENTS[producer])))
    assert (read.events, read.jobs, read.datasets) == (len(EVENTS[producer]), 1, 2)
    found = uses(tmp_path)
    assert [(each.uses, each.dataset, each.columns) for each in found] == EXPECTED[producer]
    assert {each.integration for each in found} == {producer}
    assert {each.state for each in found} == {EVENTS[producer][-1]["eventType"]}


def test_all_forms_of_a_file_are_read(tmp_path: Path) -> None:
    every = [each for events in EVENTS.values() for each in events]
    pretty = [json.dumps(each, indent=2) for each in every]
    forms = {
        "lines": lines(*every).encode(),
        "last line without an end": lines(*every).strip().encode(),
        "empty lines": ("\n" + lines(*every).replace("\n", "\r\n\n")).encode(),
        "a list on a line": json.dumps(every).encode(),
        "a list": json.dumps(every, indent=2).encode(),
        "objects": "\n".join(pretty).encode(),
        "with a mark": b"\xef\xbb\xbf" + lines(*every).encode(),
    }
    expected = None
    for form, text in forms.items():
        folder = tmp_path / form.replace(" ", "")
        folder.mkdir()
        assert ingested(folder, written(folder, text)).events == len(every), form
        expected = expected or uses(folder)
        assert uses(folder) == expected, form
    packed = written(tmp_path, gzip.compress(forms["lines"]), "events.jsonl.gz")
    ingested(tmp_path, packed)
    assert uses(tmp_path) == expected


def test_an_empty_file_has_no_events(tmp_path: Path) -> None:
    assert ingested(tmp_path, written(tmp_path, "")) == EventsRead(0, 0, 0, 0, ())
    assert uses(tmp_path) == ()


def test_facets_that_are_not_read_are_named(tmp_path: Path) -> None:
    only = event(inputs=[{**dataset("n", "d", own=FACET), "inputFacets": {"counts": FACET}}],
                 run={"runId": RUN, "facets": {"x_y": FACET}})  # fmt: skip
    alone = event(job=None, run=None, eventType=None, dataset=dataset("n", "d", "a", owner=FACET))
    read = ingested(tmp_path, written(tmp_path, lines(only, alone)))
    assert read.facets_not_read == ("counts", "own", "owner", "x_y")
    assert (read.events, read.left_out) == (2, 1)
    assert [each.dataset for each in uses(tmp_path)] == ["d"]


def test_nulls_and_missing_fields_are_no_errors(tmp_path: Path) -> None:
    bare = event("bare", inputs=None, outputs=None, eventType=None, producer=None)
    null = event({"namespace": "shop", "name": "null", "facets": None})
    null["producer"] = "http://["
    null |= {"inputs": None, "outputs": [{"namespace": "n", "name": "ü d", "facets": None}]}
    static = event("static", run=None, eventType=None, outputs=[dataset("n", "s")])
    ingested(tmp_path, written(tmp_path, lines(bare, null, static)))
    assert [(each.job, each.dataset, each.state) for each in uses(tmp_path)] == [
        ("bare", "", "OTHER"), ("null", "ü d", "COMPLETE"), ("static", "s", ""),
    ]  # fmt: skip


def run_of(number: int, state: str, time: int, inputs: str = "", outputs: str = "") -> Event:
    return event(
        time=f"2026-01-01T00:00:{time:02}Z", eventType=state,
        run={"runId": f"00000000-0000-4000-8000-{number:012}"},
        inputs=[dataset("n", each) for each in inputs],
        outputs=[dataset("n", each) for each in outputs],
    )  # fmt: skip


HISTORIES = {
    "events of a run add up": ([run_of(1, "START", 0, "a"), run_of(1, "COMPLETE", 1, "b", "c")],
                               ("abc", "COMPLETE")),
    "in any order": ([run_of(1, "COMPLETE", 1, "", "c"), run_of(1, "START", 0, "a")],
                     ("ac", "COMPLETE")),
    "a later run replaces": ([run_of(1, "COMPLETE", 0, "a", "c"), run_of(2, "COMPLETE", 1, "b")],
                             ("b", "COMPLETE")),
    "an earlier run does not": ([run_of(2, "COMPLETE", 9, "b"), run_of(1, "COMPLETE", 0, "a")],
                                ("b", "COMPLETE")),
    "a run that failed does not": ([run_of(1, "COMPLETE", 0, "a", "c"), run_of(2, "FAIL", 5, "x")],
                                   ("ac", "COMPLETE")),
    "a run that runs does not": ([run_of(1, "COMPLETE", 0, "a"), run_of(2, "START", 5, "x")],
                                 ("a", "COMPLETE")),
    "until it is complete": ([run_of(1, "COMPLETE", 0, "a"), run_of(2, "START", 5, "x"),
                              run_of(2, "COMPLETE", 6, "", "y")], ("xy", "COMPLETE")),
    "only failures": ([run_of(1, "FAIL", 0, "a"), run_of(2, "ABORT", 1, "b")], ("b", "ABORT")),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("apart", [False, True])
def test_a_job_shows_its_newest_complete_run(name: str, apart: bool, tmp_path: Path) -> None:
    """All events are ingested from one file, and then with a separate ingest for each event."""
    events, expected = HISTORIES[name]
    for group in [[each] for each in events] if apart else [events]:
        ingested(tmp_path, written(tmp_path, lines(*group)))
    found = uses(tmp_path)
    assert ("".join(each.dataset for each in found), found[0].state) == expected
    (job,) = read_jobs(Layout(tmp_path / "w"))
    assert job.name == "job"


def test_an_event_of_a_job_may_have_a_type(tmp_path: Path) -> None:
    """Marquez's own example of a JobEvent has one, although the specification has none there."""
    url = "https://openlineage.io/spec/1-0-1/OpenLineage.json#/definitions/JobEvent"
    job = event("a", run=None, schemaURL=url, outputs=[dataset("n", "d")])
    ingested(tmp_path, written(tmp_path, lines(job)))
    assert [(each.job, each.dataset, each.state) for each in uses(tmp_path)] == [("a", "d", "")]


def test_other_jobs_stay(tmp_path: Path) -> None:
    for job in ("a", "b", "a"):
        ingested(tmp_path, written(tmp_path, lines(event(job, inputs=[dataset("n", job)]))))
    assert [each.job for each in uses(tmp_path)] == ["a", "b"]


WRONG: dict[str, tuple[Any, str]] = {
    "no object": ([1], "It is not an object in braces"),
    "no time": (event(eventTime=None), "eventTime is missing"),
    "a wrong time": (event(time="yesterday"), "eventTime is 'yesterday', which is no time"),
    "a number as time": (event(eventTime=5), "eventTime is not a text"),
    "no job": (event(job=None), "job.namespace is missing"),
    "an empty name": (event(job={"namespace": "n", "name": ""}), "job.name is not a text"),
    "half a character": (event("\ud800"), "job.name is not valid text"),
    "a wrong type": (event(eventType="DONE"), "eventType is 'DONE'"),
    "a list as type": (event(eventType=[]), "eventType is ''"),
    "a number as type": (event(eventType=1), "eventType is '1'"),
    "a time before all times": (event(time="0001-01-01T00:00:00+09:00"), "eventTime is '0001"),
    "no run": (event(run=None), "run.runId is missing"),
    "a list as run": (event(run=[]), "run is not an object"),
    "an object as inputs": (event(inputs={}), "inputs is not a list of objects"),
    "a text as input": (event(inputs=["a"]), "inputs is not a list of objects"),
    "a dataset without a name": (event(outputs=[{"namespace": "n"}]), "outputs.name is missing"),
    "a wrong schema": (event(inputs=[dataset("n", "d", schema={"fields": 1})]),
                       "schema.fields is not a list"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_malformed_event_is_named_and_nothing_is_stored(name: str, tmp_path: Path) -> None:
    wrong, why = WRONG[name]
    file = written(tmp_path, lines(event(), event()) + json.dumps(wrong) + "\n")
    with pytest.raises(BadInput) as error:
        ingested(tmp_path, file)
    assert error.value.wanted == f"{file}, line 3: this is not an event of OpenLineage"
    assert error.value.found.startswith(why)
    assert uses(tmp_path) == ()


def test_text_that_is_not_json_is_named_by_its_line(tmp_path: Path) -> None:
    pretty = json.dumps(event(), indent=1)
    texts = {
        lines(event()) + "{broken\n": "line 2: this is not JSON",
        f"{pretty}\n{{broken": f"line {len(pretty.splitlines()) + 1}: this is not JSON",
        "\nnot JSON": "line 2: this is not JSON",
        json.dumps([event(), 1], indent=1): "line 1, event 2: this is not an event of OpenLineage",
    }
    for text, place in texts.items():
        file = written(tmp_path, text)
        with pytest.raises(BadInput) as error:
            ingested(tmp_path, file)
        assert error.value.wanted == f"{file}, {place}"
    with pytest.raises(BadInput, match="Cannot open"):
        ingested(tmp_path, tmp_path / "missing.jsonl")


def job(*datasets: Dataset) -> JobRun:
    return JobRun("shop", "job", "", RUN, "COMPLETE", "", datasets, ())


JOINS: dict[str, tuple[list[Dataset], dict[str, str]]] = {
    "the whole name": ([Dataset("n", "orders")], {"orders": "orders"}),
    "a name in a schema": ([Dataset("n", "db.public.orders")], {"db.public.orders": "orders"}),
    "a path": ([Dataset("file", "/data/orders/")], {"/data/orders/": "orders"}),
    "a table with dots": ([Dataset("n", "a.b")], {"a.b": "a.b"}),
    "another name": ([Dataset("n", "x", aliases=(("m", "db.orders"),))], {"x": "orders"}),
    "another case": ([Dataset("n", "Orders")], {}),
    "a part of a name": ([Dataset("n", "reorders"), Dataset("n", "orders.old")], {}),
    "two with the name": ([Dataset("n", "a.orders"), Dataset("n", "c.orders")], {}),
    "one of two with the whole": ([Dataset("n", "a.orders"), Dataset("n", "orders")],
                                  {"orders": "orders"}),
    "two names of two tables": ([Dataset("n", "orders", aliases=(("m", "items"),))], {}),
    "no name": ([Dataset("n", "/")], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", JOINS)
def test_datasets_belong_to_tables_by_name(name: str) -> None:
    datasets, expected = JOINS[name]
    jobs = [job(*datasets), job(*(Dataset(each.namespace, each.name) for each in datasets))]
    found = join(jobs, {"orders", "items", "a.b"})
    assert {key[1]: table for key, table in found.items()} == expected

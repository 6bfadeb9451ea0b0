"""Documents of workflow systems become triples; unread parts are counted or refused by name.

The documents are small and written for the tests, based on the public examples that each test
names.
"""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.ingest.formats import json_stream, made_rows
from provhouse.ingest.formats.known_formats import CHOICES, batches, check
from provhouse.ingest.formats.source import Source
from provhouse.model.errors import BadInput

Edges = set[tuple[str, str, str | None]]
JSON_FORMATS = sorted({*CHOICES} & {"wfformat", "ro-crate", "dbt", "airflow", "nextflow-lineage"})


def written(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path


def read(path: Path, form: str) -> tuple[list[dict[str, Any]], Counter[str]]:
    """Return the rows of a document with their attributes, and the unread parts."""
    source, rows, unread = Source(str(path), form), list[dict[str, Any]](), Counter[str]()
    check(source)
    for batch in batches(source):
        for row, text in zip(batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True):
            rows.append({**row, **json.loads(text or "{}")})
        unread.update(batch.unread)
    return rows, unread


def edges(rows: list[dict[str, Any]]) -> Edges:
    return {(row["src"], row["dst"], row["op"]) for row in rows}


def refused(path: Path, form: str) -> str:
    with pytest.raises(BadInput) as caught:
        read(path, form)
    assert str(path.parent) in caught.value.wanted
    return str(caught.value)


# After the instances of 1000genome in wfcommons/WfInstances, and the schema of wfcommons/WfFormat.
NEW = {
    "name": "genome",
    "schemaVersion": "1.5",
    "author": {"name": "A"},
    "workflow": {
        "specification": {
            "tasks": [
                {"name": "individuals", "id": "i1", "parents": [], "children": ["m1"],
                 "inputFiles": ["columns.txt", "chr21.vcf"], "outputFiles": ["chr21n-1.tar"]},
                {"name": "merge", "id": "m1", "parents": ["i1"], "children": [],
                 "inputFiles": ["chr21n-1.tar"], "outputFiles": ["chr21n.tar"], "queue": "q"},
            ],
            "files": [{"id": "columns.txt", "sizeInBytes": 20}],
        },
        "execution": {"makespanInSeconds": 1, "executedAt": "2020", "tasks": []},
    },
}  # fmt: skip
OLD = {
    "schemaVersion": "1.4",
    "workflow": {
        "makespanInSeconds": 1,
        "tasks": [
            {"name": "individuals_ID1", "id": "ID1", "parents": [], "runtimeInSeconds": 1,
             "files": [{"link": "input", "name": "columns.txt", "sizeInBytes": 20},
                       {"link": "output", "name": "chr21n-1.tar", "path": "out/"}]},
            {"name": "merge_ID2", "id": "ID2", "parents": ["individuals_ID1"], "files": []},
        ],
    },
    "name": "genome",
}  # fmt: skip


def test_wfformat_has_what_tasks_read_and_write(tmp_path: Path) -> None:
    rows, unread = read(written(tmp_path / "new.json", NEW), "wfformat")
    assert edges(rows) == {
        ("columns.txt", "i1", "individuals"), ("chr21.vcf", "i1", "individuals"),
        ("i1", "chr21n-1.tar", "individuals"), ("i1", "m1", "after"),
        ("chr21n-1.tar", "m1", "merge"), ("m1", "chr21n.tar", "merge"),
    }  # fmt: skip
    assert {row["workflow"] for row in rows} == {"genome"}
    assert {(row["src_table"], row["dst_table"]) for row in rows if row["op"] == "merge"} == {
        ("files", "tasks"), ("tasks", "files"),
    }  # fmt: skip
    assert unread == {
        "author": 1, "workflow.execution": 1, "workflow.specification.files": 1, "tasks.queue": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("version", "key"), [("1.4", "tasks"), ("1.3", "tasks"), ("1.1", "jobs")])
def test_earlier_versions_of_wfformat_refer_by_name(tmp_path: Path, version: str, key: str) -> None:
    tasks = OLD["workflow"]["tasks"]  # type: ignore[index]
    document = {**OLD, "schemaVersion": version, "workflow": {key: tasks}}
    rows, unread = read(written(tmp_path / "old.json", document), "wfformat")
    assert edges(rows) == {
        ("columns.txt", "individuals_ID1", "individuals_ID1"),
        ("individuals_ID1", "out/chr21n-1.tar", "individuals_ID1"),
        ("individuals_ID1", "merge_ID2", "after"),
    }
    assert {row["workflow"] for row in rows} == {"genome"}
    assert unread == {"tasks.runtimeInSeconds": 1}


def test_wfformat_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    assert "the version '2.0' of WfFormat" in refused(
        written(path, {**NEW, "schemaVersion": "2.0"}), "wfformat"
    )
    task = {"name": "a", "files": [{"link": "inout", "name": "f"}]}
    document = {"schemaVersion": "1.4", "workflow": {"tasks": [task]}}
    assert "a file is neither input nor output" in refused(written(path, document), "wfformat")
    task = {"name": "a", "files": [{"link": "input"}]}
    document = {"schemaVersion": "1.4", "workflow": {"tasks": [task]}}
    assert "The key 'name' is missing" in refused(written(path, document), "wfformat")


# After the examples of the profiles, https://www.researchobject.org/workflow-run-crate/profiles.
CRATE = {
    "@context": ["https://w3id.org/ro/crate/1.1/context", {"sha256": "http://example.org/s"}],
    "@graph": [
        {"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"}},
        {"@id": "./", "@type": "Dataset", "hasPart": [{"@id": "pic.png"}, {"@id": "out.png"}]},
        {"@id": "#sepia", "@type": "CreateAction", "agent": {"@id": "#me"},
         "actionStatus": "http://schema.org/CompletedActionStatus",
         "instrument": {"@id": "https://imagemagick.org/"},
         "object": [{"@id": "./pic.png"}, {"@id": "#rate"}], "result": {"@id": "out.png"}},
        {"@id": "#control", "@type": "ControlAction", "object": {"@id": "#sepia"}},
        {"@id": "parts", "@type": ["Collection"], "hasPart": [{"@id": "out.png"}]},
        {"@id": "thumb.png", "@type": "File", "http://schema.org/isBasedOn": {"@id": "out.png"}},
    ],
}  # fmt: skip


def test_a_crate_has_the_data_of_its_actions(tmp_path: Path) -> None:
    path = written(tmp_path / "run-1" / "ro-crate-metadata.json", CRATE)
    rows, unread = read(path, "ro-crate")
    tool = "https://imagemagick.org/"
    assert edges(rows) == {
        ("pic.png", "#sepia", tool), ("#rate", "#sepia", tool), ("#sepia", "out.png", tool),
        ("out.png", "parts", "hasPart"), ("out.png", "thumb.png", "isBasedOn"),
    }  # fmt: skip
    assert {row["crate"] for row in rows} == {"run-1"}
    assert {row.get("status") for row in rows} == {"CompletedActionStatus", None}
    assert unread == {"ControlAction": 1, "agent of actions": 1}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"@context": "https://schema.org"}, "it is no RO-Crate"),
        ({"@context": ["https://w3id.org/ro/crate/1.1/context", {"result": "x:y"}]}, "result anot"),
        ({"@graph": [{"@id": "a", "@reverse": {}}]}, "has @reverse"),
        ({"@graph": [{"@type": "File"}]}, "has no @id"),
        ({"@graph": [{"@id": "a", "@type": "CreateAction", "object": "text"}]}, ""),
        ({"@graph": [{"@id": "a", "@type": "CreateAction", "object": {"name": "b"}}]},
         "object of a refers to no entity"),
    ],
)  # fmt: skip
def test_a_crate_refuses_what_it_does_not_know(
    tmp_path: Path, change: dict[str, object], found: str
) -> None:
    path = written(tmp_path / "ro-crate-metadata.json", {**CRATE, **change})
    if found:
        assert found in refused(path, "ro-crate")
    else:
        assert edges(read(path, "ro-crate")[0]) == {("text", "a", None)}


# After dbt's jaffle_shop; https://docs.getdbt.com/reference/artifacts/manifest-json.
MANIFEST = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
    "nodes": {
        "model.shop.stg": {"unique_id": "model.shop.stg", "relation_name": '"db"."main"."stg"',
                           "depends_on": {"nodes": ["source.shop.raw.orders"], "macros": []}},
        "model.shop.late": {"unique_id": "model.shop.late", "depends_on": {"nodes": []}},
        "test.shop.unique.1": {"unique_id": "test.shop.unique.1",
                               "depends_on": {"nodes": ["model.shop.stg"]}},
    },
    "sources": {"source.shop.raw.orders": {"unique_id": "source.shop.raw.orders"}},
    "exposures": {"exposure.shop.page": {"unique_id": "exposure.shop.page",
                                         "depends_on": {"nodes": ["model.shop.stg"]}}},
    "macros": {"macro.dbt.a": {}, "macro.dbt.b": {}},
    "parent_map": {"model.shop.stg": ["source.shop.raw.orders"]},
}  # fmt: skip
RESULTS = {
    "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json",
                 "invocation_id": "i-1"},
    "results": [{"unique_id": "model.shop.stg", "status": "success"},
                {"unique_id": "test.shop.unique.1", "status": "skipped"}],
}  # fmt: skip


def test_a_manifest_of_dbt_has_the_lineage_of_tables(tmp_path: Path) -> None:
    rows, unread = read(written(tmp_path / "manifest.json", MANIFEST), "dbt")
    assert edges(rows) == {
        ("source.shop.raw.orders", "model.shop.stg", "model"),
        ("model.shop.stg", "test.shop.unique.1", "test"),
        ("model.shop.stg", "exposure.shop.page", "exposure"),
    }
    assert rows[0]["relation_name"] == '"db"."main"."stg"'
    assert (rows[0]["src_table"], rows[0]["dst_table"]) == ("source", "model")
    assert unread == {"macros": 2}


def test_results_of_dbt_have_the_lineage_of_what_ran(tmp_path: Path) -> None:
    path = written(tmp_path / "run_results.json", RESULTS)
    assert "manifest.json is missing" in refused(path, "dbt")
    written(tmp_path / "manifest.json", MANIFEST)
    rows, unread = read(path, "dbt")
    assert edges(rows) == {("source.shop.raw.orders", "model.shop.stg", "model")}
    assert (rows[0]["status"], rows[0]["invocation_id"]) == ("success", "i-1")
    assert unread == {"results with the status skipped": 1}


def test_an_unknown_section_or_artefact_of_dbt_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "manifest.json", {**MANIFEST, "streams": {}})
    assert "the section 'streams' of a manifest is not known" in refused(path, "dbt")
    assert "neither a manifest nor run results" in refused(written(path, {"metadata": {}}), "dbt")


# After the schemas of https://airflow.apache.org/docs/apache-airflow/stable/stable-rest-api-ref.html
EVENTS = {
    "asset_events": [
        {"id": 1, "asset_id": 7, "uri": "s3://b/orders", "timestamp": "2025-01-01T00:00:00Z",
         "source_dag_id": "load", "source_task_id": "copy", "source_run_id": "r1",
         "source_map_index": 2, "extra": {"rows": 3},
         "created_dagruns": [{"dag_id": "report", "run_id": "r9"}]},
        {"id": 2, "uri": "s3://b/orders", "created_dagruns": []},
    ],
    "total_entries": 2,
}  # fmt: skip
ASSETS = {
    "assets": [{"uri": "s3://b/orders", "producing_tasks": [{"dag_id": "load", "task_id": "copy"}],
                "consuming_tasks": [{"dag_id": "report", "task_id": "sum"}],
                "scheduled_dags": [{"dag_id": "report"}], "watchers": [{"name": "w"}]}],
}  # fmt: skip


def test_airflow_has_who_updates_and_reads_assets(tmp_path: Path) -> None:
    rows, unread = read(written(tmp_path / "events.json", EVENTS), "airflow")
    assert edges(rows) == {
        ("load/r1/copy[2]", "s3://b/orders", "update"),
        ("s3://b/orders", "report/r9", "start"),
    }
    assert unread == {"extra of events": 1, "events without a task": 1}
    rows, unread = read(written(tmp_path / "assets.json", ASSETS), "airflow")
    assert edges(rows) == {
        ("load/copy", "s3://b/orders", "update"), ("s3://b/orders", "report/sum", "read"),
        ("s3://b/orders", "report", "start"),
    }  # fmt: skip
    assert unread == {"watchers of assets": 1}
    assert "it has no assets of Airflow" in refused(written(tmp_path / "a.json", {}), "airflow")


# After the work folders of https://training.nextflow.io/latest/hello_nextflow.
def nextflow(folder: Path, *more: str) -> Path:
    """Write the trace and work folders of three tasks, of which the second has failed."""
    first, second = folder / "work/7f/f435e3f2cf95", folder / "work/98/656c6c90cce1"
    for task, staged in (
        (first, ["rm -f greetings.csv", "ln -s /data/my\\ greetings.csv greetings.csv"]),
        (second, [f"mkdir -p in && ln -s {first}/COLLECTED.txt in/COLLECTED.txt", *more]),
    ):
        lines = ["#!/bin/bash", "nxf_stage() {", "    true", *staged, "}", "nxf_main() {", "}"]
        written(task / ".command.run", "\n".join(lines))
    rows = [
        ("name", "status", "workdir"),
        ("collect", "COMPLETED", str(first)),
        ("collect", "FAILED", str(folder / "work/aa/bb")),
        ("cowpy (1)", "CACHED", str(second)),
    ]
    return written(folder / "trace.txt", "".join("\t".join(row) + "\n" for row in rows))


def test_a_trace_of_nextflow_has_the_inputs_in_the_work_folders(tmp_path: Path) -> None:
    rows, unread = read(nextflow(tmp_path), "nextflow")
    file = str(tmp_path / "work/7f/f435e3f2cf95/COLLECTED.txt")
    assert edges(rows) == {
        ("/data/my greetings.csv", "collect [7f/f435e3]", "collect"),
        ("collect [7f/f435e3]", file, "collect"),
        (file, "cowpy (1) [98/656c6c]", "cowpy"),
    }
    assert unread == {"tasks with the status FAILED": 1}


def test_a_trace_without_its_work_folders_is_refused(tmp_path: Path) -> None:
    path = nextflow(tmp_path, "aws s3 cp s3://b/x x")
    with pytest.raises(BadInput, match=r"\.command\.run, line 5: 'aws' is not a known way"):
        read(path, "nextflow")
    (tmp_path / "work/7f/f435e3f2cf95/.command.run").unlink()
    assert "trace.txt, line 2: the inputs of the task collect are unknown" in refused(
        path, "nextflow"
    )
    written(path, "name\tstatus\nx\tCOMPLETED\n")
    assert "line 1: no field workdir" in refused(path, "nextflow")
    written(path, "name\tstatus\tworkdir\nx\tCOMPLETED\n")
    assert "line 2: not readable" in refused(path, "nextflow")


# After https://www.nextflow.io/docs/latest/data-lineage.html.
def record(folder: Path, at: str, kind: str, **spec: object) -> Path:
    content = {"version": "lineage/v1beta1", "kind": kind, "spec": spec}
    return written(folder / ".lineage" / at / ".data.json", content)


def test_records_of_nextflow_have_lineage_ids(tmp_path: Path) -> None:
    inputs = [
        {"type": "path", "name": "in", "value": ["lid://aaa/x.txt", {"path": "/data/y.txt"}]},
        {"type": "val", "name": "id", "value": "s1"},
    ]
    path = record(tmp_path, "bbb", "TaskRun", name="cowpy (1)", input=inputs)
    rows, unread = read(path, "nextflow-lineage")
    assert edges(rows) == {
        ("lid://aaa/x.txt", "lid://bbb", "cowpy"), ("/data/y.txt", "lid://bbb", "cowpy"),
    }  # fmt: skip
    assert unread == {"parameters of the type val": 1}
    path = record(tmp_path, "ccc/out/z.txt", "FileOutput", source="lid://bbb/z.txt", taskRun=None,
                  workflowRun="lid://ccc")  # fmt: skip
    assert edges(read(path, "nextflow-lineage")[0]) == {
        ("lid://bbb/z.txt", "lid://ccc/out/z.txt", "output")
    }
    path = record(tmp_path, "ddd", "Report")
    assert "'Report' is no kind of lineage record" in refused(path, "nextflow-lineage")


@pytest.mark.parametrize("form", JSON_FORMATS)
@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}x', '{"a"', "\x00"])
def test_a_broken_document_is_refused_with_its_line(
    tmp_path: Path, form: str, content: str
) -> None:
    assert "line 1" in refused(written(tmp_path / "d.json", content), form)


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_document_is_read_in_pieces_of_any_size(
    tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "new.json", {**NEW, "n": [1.5, -2, True, None, {}, [], "ä\\u00e9"]})
    whole = read(path, "wfformat")
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    monkeypatch.setattr(made_rows, "PIECE", 2)
    assert read(path, "wfformat") == whole


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab\n", max_size=2), inner),
    max_leaves=12,
), st.integers(1, 9))  # fmt: skip
def test_any_json_is_walked_as_it_is(content: object, chunk: int) -> None:
    def walked(stream: json_stream.JsonStream, at: str) -> object:
        if at == "{":
            return {key: walked(stream, stream._peek()) for key in stream.members()}
        if at == "[":
            return [walked(stream, stream._peek()) for _ in stream.elements()]
        return stream.value()

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        path = written(Path(folder) / "d.json", json.dumps(content, indent=chunk % 3 or None))
        with json_stream.json_stream(str(path)) as stream:
            assert walked(stream, stream._peek()) == content
            stream.finish()

"""JSON has its fields in a fixed order, is on one line, and matches the schemas."""

import io
import json
from dataclasses import asdict, replace
from importlib.resources import files
from typing import Any, cast

import jsonschema
import pyarrow as pa
import pytest

from provhouse.care.damage_report import Report
from provhouse.care.forget import Forgotten
from provhouse.care.prune import Pruned
from provhouse.care.retract import Retraction
from provhouse.ingest.ingest_summary import Summary
from provhouse.ingest.preview import Preview
from provhouse.model.answer import Answer
from provhouse.output.json import JsonLinesWriter, JsonWriter
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.results.check import CheckResult
from provhouse.output.results.cypher_rows import RowsResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.export import ExportResult
from provhouse.output.results.finding import FindingResult
from provhouse.output.results.forget import ForgetResult
from provhouse.output.results.generation_list import GenerationsResult
from provhouse.output.results.ingest import IngestResult
from provhouse.output.results.path import PathResult
from provhouse.output.results.preview_view import PreviewResult
from provhouse.output.results.prune import PruneResult
from provhouse.output.results.retraction import RetractionResult
from provhouse.output.results.status import StatusResult
from provhouse.output.shown_result import ShownResult
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Change, Diff
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding
from provhouse.query.listing.generations import Generation
from provhouse.query.listing.status import Status
from provhouse.store.warehouse.manifest import Manifest, as_record


def written(result: ShownResult, form: type[JsonWriter] = JsonWriter) -> str:
    """Return the JSON of a result."""
    handle = io.StringIO()
    form(handle).write(result)
    return handle.getvalue()


def valid(schema: str, text: str) -> Any:
    """Return the value of a JSON string after validating the string against a schema."""
    rules = json.loads((files("provhouse.output") / f"schemas/{schema}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(rules)
    value = json.loads(text)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(rules, format_checker=checker).validate(value)
    return value


@pytest.mark.parametrize("name", ["small", "long", "empty", "cyclic", "erased"])
def test_an_answer_lists_items_and_triples(name: str, request: pytest.FixtureRequest) -> None:
    answer: Answer = request.getfixturevalue(name)
    text = written(AnswerResult(answer))
    value = valid("answer", text)
    assert list(value) == [
        "item", "direction", "method", "generation", "time", "complete", "truncated", "erased",
        "items", "triples", "read", "seconds",
    ]  # fmt: skip
    assert value["items"] == answer.items.to_pylist()
    assert value["triples"] == [
        {**row, "attributes": json.loads(row["attributes"])} for row in answer.triples.to_pylist()
    ]
    assert text.count("\n") == 1
    first, *rows = map(json.loads, written(AnswerResult(answer), JsonLinesWriter).splitlines())
    assert list(first) == ["answer"]
    count = len(value["items"])
    assert {**first["answer"], "items": rows[:count], "triples": rows[count:]} == value


def test_a_summary_has_counts_and_no_rows(counts: Answer) -> None:
    assert counts.counts
    text = written(AnswersResult([counts, counts]))
    value = valid("answer", text.split("\n")[0])
    assert list(value) == [
        "item", "direction", "method", "generation", "time", "complete", "truncated", "erased",
        "tables", "ops", "read", "seconds",
    ]  # fmt: skip
    assert value["tables"] == counts.counts.tables.to_pylist()
    assert value["ops"] == counts.counts.ops.to_pylist()
    assert text.count("\n") == 2


def test_a_path_lists_items_and_triples(way: Paths) -> None:
    value = valid("path", written(PathResult(way)))
    assert list(value)[:5] == ["from", "to", "all", "hops", "erased"]
    assert value["items"] == way.items.to_pylist()
    assert [row["op"] for row in cast(list[dict[str, str]], value["triples"])] == [
        "clean", "summarise",
    ]  # fmt: skip


def test_found_items_are_listed(finding: Finding) -> None:
    value = valid("find", written(FindingResult(finding)))
    assert value["items"] == finding.items.to_pylist()
    assert (value["matches"], value["truncated"], value["seconds"]) == (3, "limit", 0.123457)


def test_many_rows_are_joined_across_pieces(small: Answer) -> None:
    names = [f"i{n:06}" for n in range(20_000)]
    items = pa.table({"item": names, "table": ["t"] * 20_000, "depth": [1] * 20_000})
    chunked = pa.concat_tables([items.slice(0, 1), items.slice(0, 0), items.slice(1)])
    text = written(AnswerResult(replace(small, items=chunked)))
    assert [row["item"] for row in json.loads(text)["items"]] == names


def test_json_is_exact_and_safe_on_a_terminal(small: Answer) -> None:
    odd = "x\x9b31m\u202e\u2028\x00\n🜚"
    text = written(AnswerResult(replace(small, item=odd)))
    assert json.loads(text)["item"] == odd
    assert "🜚" in text
    assert not set("\x9b\u202e\u2028\x00") & set(text)


def test_a_step_that_a_method_lacks_has_zero_seconds(small: Answer) -> None:
    text = written(AnswerResult(replace(small, seconds={"total": 1.0, "x": 1.0})))
    assert valid("answer", text)["seconds"] == {
        "locate": 0.0, "walk": 0.0, "fetch": 0.0, "recurse": 0.0, "name": 0.0, "total": 1.0,
    }  # fmt: skip


def test_answers_to_many_are_lines_in_order(small: Answer, empty: Answer) -> None:
    text = written(AnswersResult([empty, Absent("nø"), small]))
    values = [valid("answer", line) for line in text.split("\n")[:-1]]
    assert [value["item"] for value in values] == ["raw:1", "nø", "report:2013-02"]
    assert values[1] == {"item": "nø", "found": False}


def test_an_explanation_lists_the_methods(explanation: Explanation) -> None:
    value = valid("explanation", written(ExplanationResult(explanation)))
    assert value["method"] == "csprov"
    assert value["methods"][1] == {
        "method": "ccprov", "sets": 30, "partitions": 64, "triples": 1_300, "levels": 4,
            "levels_guessed": True,
        "seconds": 0.5, "prepare": 12.345679,
    }  # fmt: skip


def test_a_diff_lists_both_changes(diff: Diff) -> None:
    value = valid("diff", written(DiffResult(diff)))
    assert [value[side]["held"] for side in ("from", "to")] == [False, True]
    assert value["came"]["items"] == diff.came.items.to_pylist()
    assert [row["src"] for row in value["went"]["triples"]] == [f"old:{n}" for n in range(30)]
    none = Change(diff.came.items.slice(0, 0), diff.came.triples.slice(0, 0))
    same = written(DiffResult(replace(diff, came=none, went=none)))
    assert valid("diff", same)["went"] == {"items": [], "triples": []}


def test_a_prune_has_all_its_fields(pruned: Pruned) -> None:
    value = valid("prune", written(PruneResult(pruned)))
    assert value == {**asdict(pruned), "bases": [1, 3], "in_use": [2], "seconds": 0.123457}


def test_an_export_is_its_manifest(manifest: Manifest) -> None:
    value = valid("manifest", written(ExportResult(manifest)))
    assert value == {**as_record(manifest), "files": [asdict(part) for part in manifest.files]}


def test_a_check_lists_damages(report: Report) -> None:
    value = valid("check", written(CheckResult(report)))
    assert value["looked_at"] == report.looked_at
    assert [damage["where"] for damage in value["damages"]] == ["table sets", "Neo4j"]
    unknown = replace(report, generation=None, damages=())
    assert valid("check", written(CheckResult(unknown)))["damages"] == []


def test_generations_are_a_list(generations: list[Generation]) -> None:
    value = valid("generations", written(GenerationsResult(generations)))
    assert value == [asdict(one) for one in generations]


def test_an_ingest_has_counts_and_seconds(summary: Summary) -> None:
    value = valid("ingest", written(IngestResult(summary)))
    assert value["set_dependencies"] == 1
    assert value["seconds"] == summary.seconds


def test_a_retraction_has_counts_and_seconds(retraction: Retraction) -> None:
    value = valid("retract", written(RetractionResult(retraction)))
    assert list(value) == ["generation", "ended", "kept", "triples", "seconds"]
    assert value["kept"] == 1


def test_an_erasure_has_counts_and_seconds(forgotten: Forgotten) -> None:
    value = valid("forget", written(ForgetResult(forgotten)))
    assert value == asdict(forgotten)


def test_a_preview_has_forms_rejects_and_components(preview: Preview) -> None:
    value = valid("preview", written(PreviewResult(preview)))
    assert value["rows"] == 1_000_003
    assert value["rejects"] == [asdict(reject) for reject in preview.rejects]
    assert value["largest"] == [{"items": 600_000, "sets": 40, "splits": [[""], ["clean", "raw"]]}]
    nothing = replace(preview, forms=(), rejects=(), largest=(), tables=())
    assert valid("preview", written(PreviewResult(nothing)))["forms"] == []


@pytest.mark.parametrize("generation", [None, 4])
def test_a_status_may_lack_a_generation(status: Status, generation: int | None) -> None:
    status = replace(status, generation=generation)
    value = valid("status", written(StatusResult(status)))
    assert value["generation"] == generation
    assert value["warehouse"] == "/w"


def test_rows_are_a_list_of_objects() -> None:
    rows = [(1, {"a": [0.5, None]}), (True, "é")]
    text = written(RowsResult(["x", "y"], rows))
    assert json.loads(text) == [{"x": 1, "y": {"a": [0.5, None]}}, {"x": True, "y": "é"}]
    assert json.loads(written(RowsResult(["x"], []))) == []

"""Answers state the weakest exactness that is declared for the ops on their paths."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from io import StringIO
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import jsonschema
import pytest

from helpers.asgi import HOST, send_request
from helpers.operations import Operation, write_operations
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.cypher.view_mark import clear_mark
from provhouse.model.answer import Answer
from provhouse.model.progress import Silent
from provhouse.model.question import Method, Question
from provhouse.output import arrow_writer as arrow_stream
from provhouse.output.form import Form
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.results.answers import Absent, AnswersResult
from provhouse.output.results.diff import DiffResult
from provhouse.output.results.explanation import ExplanationResult
from provhouse.output.results.export import ExportResult
from provhouse.output.results.operations import OperationsResult
from provhouse.output.results.path import PathResult
from provhouse.output.results.view import ViewResult
from provhouse.output.shown_result import ShownResult
from provhouse.output.writer import writer_of
from provhouse.query.exporting.browser_view import Neo4jView, write_view
from provhouse.query.exporting.export import export_answer, export_warehouse
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.diff import Diff, compare
from provhouse.query.lineage.path import path
from provhouse.query.listing.operations import Operations, list_operations
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People
from provhouse.store.warehouse.manifest import as_record, read_manifest

TRIPLES = [
    Triple("raw:1", "clean:1", "clean", "raw", "clean"),
    Triple("raw:2", "clean:2", "clean", "raw", "clean"),
    Triple("clean:1", "sum", "sum", "clean", "sums"),
    Triple("clean:2", "sum", "sum", "clean", "sums"),
    Triple("sum", "report", "not in", "sums", "reports"),
    Triple("other", "report", "by hand", "others", "reports"),
]
DESCRIBED = [
    Operation("clean", exactness="exact", place="etl.py:3"),
    Operation("sum", "aggregate", "sum", sql="SELECT sum(x)\nFROM clean", exactness="superset"),
    Operation("not in", exactness="absence"),
    Operation("by hand", "function"),
]


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse whose first generation has no descriptions of ops."""
    made = houses(theta=3, pack=0, partition_triples=3)
    made.ingest(TRIPLES)
    made.ingest_files(
        operations=write_operations(made.settings.warehouse.parent / "ops.csv", DESCRIBED)
    )
    return made


@pytest.fixture(scope="module")
def asker(house: House) -> Iterator[Asker]:
    """An ``Asker`` for the generation that has descriptions."""
    with house.asker() as opened:
        yield opened


QUESTIONS: dict[str, tuple[Question, str | None, dict[str, int]]] = {
    "all declared": (
        Question("sum", "upstream"), "superset", {"exact": 2, "superset": 2}
    ),
    "a mix": (
        Question("report", "upstream"), "unknown",
        {"exact": 2, "superset": 2, "absence": 1, "unknown": 1},
    ),
    "only the paths to sums": (
        Question("report", "upstream", tables=("sums",)), "absence", {"absence": 1}
    ),
    "only the paths of an op": (
        Question("report", "upstream", ops=("sum",)), "absence", {"superset": 2, "absence": 1}
    ),
    "the nearest": (Question("raw:1", "downstream", limit=1), "exact", {"exact": 1}),
    "near": (Question("raw:1", "downstream", depth=2), "superset", {"exact": 1, "superset": 1}),
    "counted": (Question("clean:1", "upstream", summary=True), "exact", {"exact": 1}),
    "nothing declared": (Question("other", "downstream"), None, {}),
    "nothing found": (Question("other", "upstream"), None, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_says_how_exact_it_is(asker: Asker, name: str) -> None:
    question, weakest, triples = QUESTIONS[name]
    answer = asker.answer(question)
    assert (answer.exactness, answer.exactness_triples) == (weakest, triples)


@pytest.mark.long
@pytest.mark.parametrize("method", ["rq", "ccprov"])
def test_other_methods_say_the_same(asker: Asker, method: Method) -> None:
    question, weakest, triples = QUESTIONS["only the paths of an op"]
    answer = asker.answer(replace(question, method=method))
    assert (answer.exactness, answer.exactness_triples) == (weakest, triples)


def written(result: ShownResult, form: Form) -> str:
    handle = StringIO()
    writer_of(form, handle, width=1000).write(result)
    return handle.getvalue()


def valid(name: str, text: str) -> Any:
    value = json.loads(text)
    schema = json.loads((files("provhouse.output") / "schemas" / f"{name}.json").read_text())
    jsonschema.validate(value, schema)
    return value


def test_an_answer_says_it_in_every_form(asker: Asker) -> None:
    answer = asker.answer(QUESTIONS["a mix"][0])
    value = valid("answer", written(AnswerResult(answer), Form.json))
    assert value["exactness"] == "unknown"
    assert value["exactness_triples"] == answer.exactness_triples
    text = written(AnswerResult(answer), Form.table)
    assert (
        "Exactness: unknown. On the paths, 2 triples name exactly the inputs that were used" in text
    )
    received = arrow_stream.read(Answer, b"".join(arrow_stream.pieces(answer)))
    assert (received.exactness, received.exactness_triples) == (
        answer.exactness,
        answer.exactness_triples,
    )
    counted = asker.answer(QUESTIONS["counted"][0])
    assert valid("answer", written(AnswerResult(counted), Form.json))["exactness"] == "exact"


def test_a_path_says_it_of_its_own_triples(asker: Asker) -> None:
    found = path(asker, "raw:1", "sum")
    assert (found.exactness, found.exactness_triples) == ("superset", {"exact": 1, "superset": 1})
    assert valid("path", written(PathResult(found), Form.json))["exactness"] == "superset"
    assert "Exactness: superset." in written(PathResult(found), Form.table)
    every = path(asker, "raw:1", "report", every=True)
    assert every.exactness_triples == {"exact": 1, "superset": 1, "absence": 1}
    assert path(asker, "other", "report").exactness is None


def compared(house: House, question: Question, until: int | None = None) -> Diff:
    """Return the change of an answer from the question's generation to the generation ``until``."""
    return compare(question, until, lambda at: Asker(house.settings, Silent(), at))


def test_a_diff_says_it_of_each_generation(house: House) -> None:
    question, weakest, triples = QUESTIONS["a mix"]
    found = compared(house, replace(question, as_of=1))
    assert (found.since.exactness, found.since.exactness_triples) == (None, {})
    assert (found.until.exactness, found.until.exactness_triples) == (weakest, triples)
    value = valid("diff", written(DiffResult(found), Form.json))
    assert "exactness" not in value["from"]
    assert value["to"]["exactness_triples"] == triples
    text = written(DiffResult(found), Form.table)
    assert "Generation 2: Exactness: unknown. On the paths, 2 triples name exactly" in text
    assert "Generation 1: Exactness" not in text
    assert arrow_stream.read(Diff, b"".join(arrow_stream.pieces(found))).until == found.until
    absent = compared(house, Question("report", "upstream", as_of=2), 1)
    assert (absent.since.exactness, absent.until.exactness) == (weakest, None)


def test_a_view_says_it_also_in_neo4j(house: House, asker: Asker) -> None:
    question, weakest, triples = QUESTIONS["all declared"]
    try:
        view = write_view(asker, question)
        query = "MATCH (i:Item {warehouse: $warehouse}) WHERE i.exactness <> '' RETURN i.name"
        assert asker.graph.read(query, {}).rows == [("sum",)]
    finally:
        asker.graph.remove_views()
        clear_mark(house.settings.graph_home)
    assert (view.exactness, view.exactness_triples) == (weakest, triples)
    assert valid("view", written(ViewResult(view), Form.json))["exactness_triples"] == triples
    assert ",superset," in written(ViewResult(view), Form.csv)
    assert "Exactness: superset." in written(ViewResult(view), Form.table)
    assert arrow_stream.read(Neo4jView, b"".join(arrow_stream.pieces(view))) == view


def test_an_exported_answer_says_it(house: House, asker: Asker, tmp_path: Path) -> None:
    question, weakest, triples = QUESTIONS["a mix"]
    manifest = export_answer(house.layout, asker.answer(question), tmp_path / "answer")
    value = valid("manifest", written(ExportResult(manifest), Form.json))
    assert (value["exactness"], value["exactness_triples"]) == (weakest, triples)
    assert read_manifest(tmp_path / "answer") == manifest
    assert "Exactness: unknown." in written(ExportResult(manifest), Form.table)
    every = export_warehouse(house.layout, tmp_path / "all", Silent())
    # this is no answer: it shows the descriptions themselves
    assert "exactness" not in as_record(every)


def test_answers_to_many_items_say_it_each(asker: Asker) -> None:
    answers = [asker.answer(Question(item, "upstream")) for item in ("sum", "other")]
    head, *lines = written(AnswersResult([*answers, Absent("no")]), Form.table).splitlines()
    assert head.endswith("exactness")
    assert [line.rstrip().endswith("superset") for line in lines[:3]] == [True, False, False]
    assert "exactness" not in written(AnswersResult(answers[1:]), Form.table)


def test_an_explanation_says_the_weakest_of_all_ops(asker: Asker) -> None:
    found = asker.explain(Question("sum", "upstream"))
    assert (
        valid("explanation", written(ExplanationResult(found), Form.json))["exactness"] == "absence"
    )
    assert "The weakest exactness of an operation is absence" in written(
        ExplanationResult(found), Form.table
    )


def test_a_generation_without_declarations_says_nothing(house: House) -> None:
    with Asker(house.settings, Silent(), 1) as asker:
        answer = asker.answer(Question("report", "upstream"))
        texts = [written(AnswerResult(answer), form) for form in (Form.json, Form.table)]
        texts += [written(PathResult(path(asker, "sum", "report")), form) for form in
                  (Form.json, Form.table)]  # fmt: skip
        diff = compared(house, Question("report", "upstream", as_of=1), 1)
        texts += [written(DiffResult(diff), form) for form in (Form.json, Form.table)]
        explained = asker.explain(Question("report", "upstream"))
        texts += [written(ExplanationResult(explained), form) for form in (Form.json, Form.table)]
        assert not list_operations(asker.snapshot).operations.num_rows
    assert not any("exactness" in text.lower() for text in texts)


def test_described_ops_are_listed(house: House, asker: Asker) -> None:
    found = list_operations(asker.snapshot)
    result = OperationsResult(found)
    value = valid("ops", written(result, Form.json))
    named = {row["op"]: row for row in value}
    assert [*named] == sorted(each.op for each in DESCRIBED)
    assert named["sum"]["function"] == "sum"
    assert {row["born"] for row in value} == {2}
    text = written(result, Form.table)
    assert "SELECT sum(x) FROM clean" not in text
    assert "Not shown: sql, place" in text
    assert "module" not in text  # no op has a module
    received = arrow_stream.read(Operations, b"".join(arrow_stream.pieces(found)))
    assert received.operations.equals(found.operations)
    with house.open() as opened:
        assert [op._asdict() for op in opened.ops()] == value
        assert len(opened.ops(as_of=1)) == 0
        assert opened.impact("raw:1", depth=1).exactness == "exact"
        assert opened.diff("sum", since=1).until.exactness == "superset"
        assert opened.path("raw:1", "clean:1").exactness == "exact"
        assert opened.explain("sum").exactness == "absence"


@pytest.mark.long
def test_a_server_says_it_and_lists_the_ops(house: House, tmp_path: Path) -> None:
    access = Access(People(tmp_path, "secret"), frozenset({HOST}))
    keeper = Keeper(house.settings, Silent())
    app = application(keeper, house.settings, access)
    headers = {"authorization": "Bearer secret"}

    def get(path: str) -> Any:
        reply = send_request(app, "GET", path, headers)
        assert reply.status == 200
        return json.loads(reply.body)

    keeper.start()
    try:
        deadline = monotonic() + 60
        while send_request(app, "GET", "/v1/health").status != 200:
            assert monotonic() < deadline, keeper.not_ready_reason
            sleep(0.02)
        assert get("/v1/lineage?item=sum")["exactness"] == "superset"
        assert get("/v1/path?from=raw:1&to=clean:1")["exactness_triples"] == {"exact": 1}
        assert get("/v1/explain?item=sum")["exactness"] == "absence"
        assert get("/v1/diff?item=sum&from=1")["to"]["exactness"] == "superset"
        assert [row["op"] for row in get("/v1/ops")] == sorted(each.op for each in DESCRIBED)
        assert get("/v1/ops?as_of=1") == []
    finally:
        keeper.close()


@pytest.mark.long
@pytest.mark.parametrize("form", [Form.csv, Form.lines])
def test_what_ops_writes_can_be_ingested(
    house: House, asker: Asker, houses: Callable[..., House], form: Form
) -> None:
    found = list_operations(asker.snapshot)
    other = houses()
    other.ingest(TRIPLES)
    file = other.settings.warehouse.parent / f"ops.{form.value}"
    file.write_text(written(OperationsResult(found), form))
    with other.open() as opened:
        assert opened.ingest(operations=file).operations == len(DESCRIBED)
        with house.open() as described:
            assert opened.ops() == described.ops()


@pytest.mark.long
def test_triples_of_shared_derivations_count_as_they_are_shown(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    """Of a shared derivation, only the triples whose src is an input are stored with an op."""
    (tmp_path / "trace.csv").write_text(
        "src,dst,op,op_kind,shared\na,,read,all,1\nb,,read,all,1\n,x,,,1\n,y,,,1\nx,z,write,,\n"
    )
    house = houses()
    described = [Operation("read", exactness="task"), Operation("write", exactness="exact")]
    house.ingest_files(
        tmp_path / "trace.csv", operations=write_operations(tmp_path / "ops.csv", described)
    )
    with house.asker() as asker:
        for tables in ((), ("",)):
            answer = asker.answer(Question("z", "upstream", tables=tables))
            assert answer.triples.num_rows == 3
            assert answer.exactness_triples == {"exact": 1, "task": 2}
        assert asker.answer(Question("z", "upstream", limit=1)).exactness == "exact"
        assert path(asker, "a", "z").exactness_triples == {"exact": 1, "task": 1}


@pytest.mark.long
def test_an_erased_item_on_the_way_makes_exactness_unknown(houses: Callable[..., House]) -> None:
    house = houses()
    house.ingest(TRIPLES)
    house.ingest_files(
        operations=write_operations(house.settings.warehouse.parent / "ops.csv", DESCRIBED)
    )
    forget(["clean:1"], house.settings, Silent())
    with house.asker() as asker:
        answer = asker.answer(Question("sum", "upstream"))
        assert answer.exactness_triples == {"exact": 1, "superset": 1, "unknown": 2}
        assert answer.exactness == "unknown"

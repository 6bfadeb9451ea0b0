"""Questions about workflows are answered over HTTP, in each format, without any generation."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from jsonschema import validate

from helpers.asgi import HOST, send_request
from helpers.flow import Flow
from provhouse.model.progress import Silent
from provhouse.output import writer
from provhouse.output.arrow_writer import read
from provhouse.output.questions.asking import AskingStored
from provhouse.output.questions.schemas import derived_schema
from provhouse.output.questions.workflow_questions import (
    AskingResults,
    AskingReuse,
    AskingRevisionDiff,
    AskingRevisions,
    AskingWhyNotReused,
)
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People

DDL = "create table t(a integer, b integer);"
FIRST = "select a, sum(b)::bigint as b from t where b > 1 group by a"
SECOND = "select a, sum(b)::bigint as b from t where b > 2 group by a"
ASKED: dict[str, AskingStored[Any]] = {
    "workflows": AskingRevisions(),
    "revisions": AskingRevisions("flow"),
    "results": AskingResults("flow"),
    "reuse": AskingReuse("flow@r1", columns=("a",)),
    "build": AskingReuse("flow@r3"),
    "why not": AskingWhyNotReused("flow@r3", "result"),
    "code": AskingRevisionDiff("flow@r1", "flow@r2"),
    "records": AskingRevisionDiff("flow@r1", "flow@r2", records=True, limit=2),
}
SCHEMAS = Path(writer.__file__).with_name("schemas")
FORMS = ("application/json", "application/jsonl", "text/csv", "text/plain")
ARROW = "application/vnd.apache.arrow.stream"


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """A workflow with three revisions, of which two were executed."""
    made = Flow(tmp_path_factory.mktemp("flow"), DDL)
    made.table("t", "select (i % 4)::integer a, (i % 9)::integer b from range(50) t(i)")
    for text in (FIRST, SECOND):
        made.execute(made.add(text), text, "t")
    made.add(FIRST.replace("1", "3"))
    return made


@pytest.fixture(scope="module")
def served(flow: Flow) -> FastAPI:
    """The application that serves the warehouse, without Spark and Neo4j."""
    people = People(flow.settings.warehouse, "secret")
    keeper = Keeper(flow.settings, Silent())
    return application(keeper, flow.settings, Access(people, frozenset({HOST})))


def body(served: FastAPI, asked: AskingStored[Any], form: str) -> bytes:
    """Return the body of the reply to a question."""
    headers = {"authorization": "Bearer secret", "accept": form}
    found = send_request(served, "POST", asked.path, headers, json.dumps(asked.body()).encode())
    assert found.status == 200, found.body
    return found.body


@pytest.mark.parametrize("name", ASKED)
def test_a_question_is_answered_in_each_form(served: FastAPI, flow: Flow, name: str) -> None:
    asked = ASKED[name]
    direct = asked.read(flow.layout)
    assert read(asked.found_type(), body(served, asked, ARROW)) == direct
    found, lines, table, text = (body(served, asked, form).decode() for form in FORMS)
    file = SCHEMAS / f"{asked.schema}.json"
    schema = json.loads(file.read_text()) if asked.result else derived_schema(asked.found_type())
    validate(json.loads(found), schema)
    assert json.loads(lines) == json.loads(found)
    assert len(table.splitlines()) > 1 or name == "code"
    assert "flow@r" in text


def test_what_is_not_stored_is_not_found(served: FastAPI) -> None:
    headers = {"authorization": "Bearer secret"}
    for path in ("results?workflow=none", "reuse?revision=flow@r9", "revisions?workflow=none"):
        assert send_request(served, "GET", f"/v1/{path}", headers).status == 404
    assert send_request(served, "GET", "/v1/reuse?revision=flow", headers).status in (400, 422)


@pytest.mark.parametrize(
    "body", [{"inputs": [["t", "/etc/hosts"]]}, {"audit": 1}], ids=["inputs", "audit"]
)
def test_no_client_names_files_or_executes_queries(served: FastAPI, body: dict[str, Any]) -> None:
    headers = {"authorization": "Bearer secret"}
    asked = json.dumps({"revision": "flow@r1", **body}).encode()
    found = send_request(served, "POST", "/v1/reuse", headers, asked)
    assert found.status == 400
    assert f"A server does not take {next(iter(body))}" in found.body.decode()

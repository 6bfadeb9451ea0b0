"""The server requires its token, reports errors as documented, and follows its OpenAPI document."""

import stat
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from provhouse.cypher.graph import shared_graph
from provhouse.cypher.view_mark import clear_mark
from provhouse.model.progress import Silent
from provhouse.model.question import OPTIONAL, Question
from provhouse.serve import server_file
from provhouse.serve.requests import AskingOne

if TYPE_CHECKING:
    from .conftest import Served


def resolved(document: dict[str, Any], path: str, method: str, status: str, kind: str) -> Any:
    """Return the schema of a response together with the schemas to which it refers."""
    content = document["paths"][path][method]["responses"][status]["content"]
    return {**content[kind]["schema"], "components": document["components"]}


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("/v1/lineage", {"item": "t:9"}),
        ("/v1/impact", {"item": "t:9", "depth": 2}),
        ("/v1/impact", {"item": "t:9", "summary": True, "tables": ["t"], "ops": ["op 1", "op 2"]}),
        ("/v1/path", {"from": "t:0", "to": "t:3"}),
        ("/v1/find", {"text": "t:2", "limit": 3}),
        ("/v1/explain", {"item": "t:9", "direction": "downstream"}),
        ("/v1/lineage", {"item": "t:9", "sets": True}),
        ("/v1/set", {"set": 1, "limit": 2}),
        ("/v1/diff", {"item": "t:9", "from": 1}),
        ("/v1/ops", {"as_of": 1}),
        ("/v1/what-if", {"items": "t:0"}),
        ("/v1/what-if-each", {"item": "t:9"}),
        ("/v1/depends", {"item": "t:9", "on": "t:0"}),
        ("/v1/why", {"item": "t:9"}),
        ("/v1/why-changed", {"item": "t:9", "from": 1}),
        ("/v1/subgraph", {"item": "t:9"}),
        ("/v1/origins", {"item": "t:9"}),
        ("/v1/modules", {}),
        ("/v1/zoom", {"item": "t:9", "zoom": "table", "foldable": True}),
        ("/v1/zoom-path", {"from": "t:0", "to": "t:3", "zoom": "set"}),
        ("/v1/zoom-diff", {"item": "t:9", "from": 1, "zoom": "record"}),
        ("/v1/zoom-what-if", {"items": "t:0", "zoom": "module"}),
        ("/v1/generations", {}),
        ("/v1/status", {}),
        ("/v1/health", {}),
    ],
)
def test_responses_match_the_openapi_document(
    served: "Served", path: str, parameters: dict[str, Any]
) -> None:
    document = served.get("/v1/openapi.json").json()
    reply = served.get(path, **parameters)
    assert reply.status_code == 200
    jsonschema.validate(reply.json(), resolved(document, path, "get", "200", "application/json"))


def test_every_field_of_a_question_is_a_parameter() -> None:
    parameters = AskingOne.model_fields
    assert set(parameters) == {f.name for f in fields(Question)} - {"direction"}
    assert all(parameters[name].description for name in OPTIONAL)


@pytest.mark.parametrize(
    ("path", "parameters", "status", "exit_status", "word"),
    [
        ("/v1/lineage", {"item": "nobody"}, 404, 3, "nobody"),
        ("/v1/what-if", {"ops": "no op"}, 404, 3, "no op"),
        ("/v1/zoom", {"item": "t:9", "zoom": "table", "fold": "no module"}, 404, 3, "no module"),
        ("/v1/invocations", {"module": "no module"}, 404, 3, "no module"),
        ("/v1/lineage", {}, 400, 2, "item"),
        ("/v1/lineage", {"item": "t:1", "depth": 0}, 400, 2, "depth"),
        ("/v1/lineage", {"item": "t:1", "method": "guess"}, 400, 2, "method"),
        ("/v1/lineage", {"item": "t:1", "dept": 1}, 400, 2, "dept"),
        ("/v1/nothing", {}, 404, 2, "The server has no route GET /v1/nothing"),
    ],
)
def test_errors_are_problem_documents(
    served: "Served",
    path: str,
    parameters: dict[str, Any],
    status: int,
    exit_status: int,
    word: str,
) -> None:
    reply = served.get(path, **parameters)
    problem = reply.json()
    assert reply.headers["content-type"] == "application/problem+json"
    assert (reply.status_code, problem["status"]) == (status, status)
    assert problem["exit_status"] == exit_status
    assert word in problem["title"] + problem["detail"]
    assert problem["detail"]
    assert problem["remedy"]


def test_an_unsupported_media_type_is_refused(served: "Served") -> None:
    reply = served.request(
        "GET", "/v1/lineage", params={"item": "t:1"}, headers={"Accept": "image/png"}
    )
    assert (reply.status_code, reply.json()["exit_status"]) == (400, 2)


@pytest.mark.parametrize("shown", ["", "Bearer ", "Bearer wrong", "Basic x", "Bearer ü"])
def test_requests_without_the_token_are_refused(served: "Served", shown: str) -> None:
    headers = {"Authorization": shown.encode()}
    for path in ("/v1/lineage?item=t:1", "/v1/status", "/v1/metrics", "/v1/openapi.json"):
        reply = served.request("GET", path, headers=headers)
        assert reply.status_code == 401, path
    assert served.request("GET", "/v1/health", headers=headers).status_code == 200


def test_an_unknown_host_name_is_refused(served: "Served") -> None:
    reply = served.request("GET", "/v1/status", headers={"Host": "evil.example"})
    assert reply.status_code == 403


def test_only_the_owner_can_read_the_token(served: "Served") -> None:
    folder = server_file.folder(served.house.settings.warehouse)
    assert stat.S_IMODE((folder / "token").stat().st_mode) == 0o600
    assert served.token not in " ".join(served.process.cmdline())


def test_metrics_count_requests(served: "Served") -> None:
    def count() -> float:
        text = served.get("/v1/metrics").text
        lines = [line for line in text.splitlines() if line.startswith("provhouse_requests_total")]
        (line,) = [one for one in lines if '"/v1/impact"' in one and '"200"' in one]
        return float(line.split()[-1])

    served.get("/v1/impact", item="t:1")
    before = count()
    served.get("/v1/impact", item="t:1")
    assert count() == before + 1


def test_a_view_is_written_by_the_server_and_counts_nowhere(served: "Served") -> None:
    def counted() -> tuple[Any, list[str]]:
        state = {k: v for k, v in served.get("/v1/status").json().items() if k != "server"}
        lines = served.get("/v1/metrics").text.splitlines()
        return state, [line for line in lines if line.startswith("provhouse_generation")]

    before, expected = counted(), served.oracle.ask("t:9", "upstream", 2)
    reply = served.request("POST", "/v1/view", json={"item": "t:9", "depth": 2})
    assert reply.status_code == 200
    view = reply.json()
    assert (view["items"], view["nodes"]) == (len(expected.items), len(expected.items) + 1)
    assert counted() == before
    house = served.house
    with shared_graph(house.layout.warehouse_id(), house.settings, Silent()) as graph:
        names = graph.read("MATCH (i:Item {warehouse: $warehouse}) RETURN i.name", {}).rows
        graph.remove_views()
    clear_mark(house.settings.graph_home)
    assert {name for (name,) in names} == {"t:9", *(item for item, _ in expected.items)}
    found = served.get("/v1/lineage", item="t:9", depth=2).json()["items"]
    assert {(row["item"], row["depth"]) for row in found} == expected.items

"""The server's answers equal the oracle's, and have the same bytes as a command's output."""

import io
import json
import re
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest
import requests

import provhouse
from helpers.oracle import Triple
from helpers.sampled import one_in
from provhouse.model.question import Direction, Question
from provhouse.output.csv_writer import CsvWriter
from provhouse.output.json import JsonWriter
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.table import TableWriter
from provhouse.output.writer import Writer

if TYPE_CHECKING:
    from .conftest import Served

PATHS: dict[Direction, str] = {"upstream": "/v1/lineage", "downstream": "/v1/impact"}
ODD = 'odd "name"\n<b>ü'


def items(answer: dict[str, Any]) -> set[tuple[str, int]]:
    return {(item["item"], item["depth"]) for item in answer["items"]}


@pytest.mark.parametrize(
    ("method", "direction"),
    [
        ("auto", "upstream"),
        ("auto", "downstream"),
        pytest.param("rq", "upstream", marks=pytest.mark.long),
    ],
)
def test_answers_equal_those_of_the_oracle(
    served: "Served", method: str, direction: Direction
) -> None:
    some = ("t:150", ODD) if method == "rq" else ("t:0", "t:150", ODD, served.triples[-1].dst)
    for item in some:  # for each level, rq runs a Spark job
        answer = served.get(PATHS[direction], item=item, method=method).json()
        expected = served.oracle.ask(item, direction)
        assert items(answer) == expected.items
        assert {(t["src"], t["dst"], t["op"]) for t in answer["triples"]} == expected.triples
        assert answer["complete"] is True


@pytest.mark.long
@pytest.mark.parametrize(
    ("accept", "made"),
    one_in(
        3, [("application/json", JsonWriter), ("text/csv", CsvWriter), ("text/plain", TableWriter)]
    ),
)
def test_formats_equal_those_of_a_command(served: "Served", accept: str, made: Any) -> None:
    there = served.request(
        "GET", "/v1/lineage", params={"item": "t:150"}, headers={"Accept": accept}
    )
    handle = io.StringIO()
    output: Writer = made(handle, 100) if made is TableWriter else made(handle)
    with served.house.asker() as asker:
        output.write(AnswerResult(asker.answer(Question("t:150", "upstream"))))
    assert there.headers["content-type"].startswith(accept)
    assert timeless(there.content.decode()) == timeless(handle.getvalue())


def timeless(text: str) -> str:
    """Return the text without times, and with each run of white space replaced by one space."""
    text = re.sub(r'"seconds":\{[^}]*\}', "", text)
    return " ".join(re.sub(r"in [0-9.,]+ m?s \([^)]*\)", "", " ".join(text.split())).split())


def test_answers_about_many_items_come_one_on_a_line(served: "Served") -> None:
    asked = ["t:7", "nobody", ODD, "t:150", "no\u00fc"]
    reply = served.request("POST", "/v1/impact", json={"items": asked, "depth": 3})
    lines = [json.loads(line) for line in reply.text.splitlines()]
    assert [line["item"] for line in lines] == asked
    assert [line["item"] for line in lines if line.get("found") is False] == ["nobody", "no\u00fc"]
    assert items(lines[0]) == served.oracle.ask("t:7", "downstream", 3).items
    assert (reply.headers["Provhouse-Absent"], reply.headers["Provhouse-First-Absent"]) == (
        "2",
        "nobody",
    )


@pytest.mark.parametrize("filtered", [{"tables": ["nowhere"]}, {"through": "nowhere"}])
def test_an_unknown_table_is_refused_before_any_answer(
    served: "Served", filtered: dict[str, object]
) -> None:
    """The request is refused before its first answer, because an error cannot be sent later."""
    reply = served.request("POST", "/v1/lineage", json={"items": ["t:7"], **filtered})
    assert reply.status_code == 400
    assert reply.json()["title"] == "There is no table 'nowhere'"


def test_an_answer_is_sent_without_delay(served: "Served") -> None:
    """On a reused connection, the body is sent before the client has acknowledged the head.

    The machine may be busy, so the test tries many times, and one try must succeed.
    """
    seconds: list[float] = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {served.token}"
        while len(seconds) < 12 or (len(seconds) < 200 and seconds[-1] >= 0.03):
            began = perf_counter()
            assert session.get(f"{served.server.address}/v1/generations", timeout=60).content
            seconds.append(perf_counter() - began)
    assert min(seconds[2:]) < 0.03


@pytest.mark.long
def test_the_next_answers_follow_an_ingest_and_earlier_ones_can_be_asked(served: "Served") -> None:
    """One ingest adds a hub, a long name, and derived items. An earlier answer was cached."""
    before = served.get("/v1/health").json()["generation"]
    earlier = served.oracle.ask("t:3", "downstream").items
    first = served.get("/v1/impact", item="t:5", limit=5_000)
    second = served.get("/v1/impact", item="t:5", limit=5_000)
    assert (second.content, int(second.headers["Age"])) == (first.content, 0)
    assert "Age" not in first.headers
    assert "Age" not in served.get("/v1/impact", item="t:5", limit=6).headers
    name = "x" * 60_000
    hub = [Triple(f"leaf {n}", "hub", "gather", "leaves", "hubs") for n in range(5_000)]
    new = {"t:299": "brand new", "t:5": "t:5 again", "t:3": "later", name: "t:0"}
    served.ingest([*hub, *(Triple(src, dst, "add", "t", "t") for src, dst in new.items())])

    after = served.get("/v1/impact", item="t:5", limit=5_000)
    assert "Age" not in after.headers
    assert "t:5 again" in [item["item"] for item in after.json()["items"]]
    answer = served.get("/v1/lineage", item="brand new").json()
    assert answer["generation"] == before + 1
    assert items(answer) == served.oracle.ask("brand new", "upstream").items

    impact = served.get("/v1/impact", item="t:3").json()
    now = served.oracle.ask("t:3", "downstream").items
    assert items(impact) == now
    assert ("later", 1) in now - earlier
    then = served.get("/v1/impact", item="t:3", as_of=before).json()
    assert (items(then), then["generation"]) == (earlier, before)
    diff = served.get("/v1/diff", item="t:3", direction="downstream", **{"from": before}).json()
    assert {item["item"] for item in diff["came"]["items"]} == {item for item, _ in now - earlier}
    assert served.get("/v1/impact", item="later", as_of=before).status_code == 404
    assert served.get("/v1/impact", item="t:3", as_of=10**6).json()["exit_status"] == 3

    reply = served.request("POST", "/v1/lineage", json={"item": "hub"})
    assert reply.headers["transfer-encoding"] == "chunked"
    assert items(reply.json()) == {(triple.src, 1) for triple in hub}

    assert served.request("POST", "/v1/impact", json={"item": name}).status_code == 200
    way = served.request("POST", "/v1/path", json={"from": name, "to": "t:3"})
    assert way.json()["hops"] == 3


def test_a_connection_has_the_objects_of_an_open_warehouse(served: "Served") -> None:
    """``tests/api/test_connection.py`` has more questions, in ``make test-long``."""
    expected = served.oracle.ask("t:150", "upstream").items
    with (
        provhouse.connect(served.server.address, served.token) as connection,
        served.house.open() as warehouse,
    ):
        found = connection.lineage("t:150")
        assert {(item.item, item.depth) for item in found.items} == expected
        assert found.items == warehouse.lineage("t:150").items
        assert warehouse._asker is None  # it asks its server, too
        for each in (connection, warehouse):
            with pytest.raises(provhouse.NotFound):
                each.lineage("nothing")
    with (
        provhouse.connect(served.server.address, "wrong") as refused,
        pytest.raises(provhouse.ProvhouseError),
    ):
        refused.generations()

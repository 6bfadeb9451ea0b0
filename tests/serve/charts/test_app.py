"""A page's server admits only the person who opened its link, and refuses invalid questions."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.asgi import HOST, Reply, send_request
from provhouse.interactive.charts.file_records import FileRecords
from provhouse.interactive.charts.linked_views import ChartViews
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch
from provhouse.serve.charts.chart_files import FILES
from provhouse.serve.charts.charts_app import application
from provhouse.serve.charts.file_page import FilePage
from provhouse.serve.charts.visitor import Visitor


@dataclass
class Client:
    """A client that sends requests to the application of a page."""

    app: Any
    visitor: Visitor

    def post(
        self, route: str, body: object, key: str | None = None, host: str = HOST, origin: str = ""
    ) -> Reply:
        """Send one request and return the reply."""
        headers = {"host": host, **({"authorization": f"Bearer {key}"} if key else {})}
        if origin:
            headers["origin"] = origin
        return send_request(self.app, "POST", f"/v1/{route}", headers, json.dumps(body).encode())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client of a page with three records."""
    table = pa.table({"a": [1, 2, 2], "b": ["x", "y", "y"], "big": [1 << 60, None, 3]})
    pq.write_table(table, tmp_path / "rows.parquet")
    records = FileRecords(tmp_path / "rows.parquet")
    page = FilePage(records, ChartViews(records.table, ["a", "b"], ["a"]), tmp_path)
    fetch(Silent(), ["page"])
    visitor = Visitor()
    yield Client(application(page, visitor, frozenset({HOST})), visitor)
    records.close()


@pytest.fixture
def key(client: Client) -> str:
    """The key that the person who opened the link has received."""
    found: str = json.loads(client.post("open", {"token": client.visitor.token}).body)["key"]
    return found


def test_the_token_gives_a_key_once(client: Client, key: str) -> None:
    assert client.post("describe", {}, key).status == 200
    again = client.post("open", {"token": client.visitor.token})
    assert again.status == 401
    assert b"works only once" in again.body
    assert client.post("open", {"token": "guess"}).status == 401


ROUTES = ["describe", "brush", "first", "save", "views", "download", "sql", "lineage"]


@pytest.mark.parametrize("route", ROUTES)
def test_without_the_key_nothing_is_answered(client: Client, route: str) -> None:
    assert client.post(route, {"name": "x"}).status == 401
    assert client.post(route, {"name": "x"}, client.visitor.token).status == 401


def test_another_host_name_is_refused(client: Client, key: str) -> None:
    assert client.post("describe", {}, key, host="evil.example").status == 403


OTHER_PAGES = ("http://evil.example", "null", f"http://{HOST}:1", f"https://{HOST}", "http://")


@pytest.mark.parametrize("origin", OTHER_PAGES)
def test_another_page_cannot_use_the_token_or_the_key(client: Client, origin: str) -> None:
    opening = {"token": client.visitor.token}
    refused = client.post("open", opening, origin=origin)
    assert refused.status == 403
    assert origin.encode() in refused.body
    # the token is not used up by the refused request
    opened = client.post("open", opening, origin=f"http://{HOST}")
    assert opened.status == 200
    key = json.loads(opened.body)["key"]
    assert client.post("describe", {}, key, origin=origin).status == 403
    assert client.post("describe", {}, key, origin=f"http://{HOST}").status == 200


def test_the_files_are_complete_and_may_load_nothing_from_elsewhere(client: Client) -> None:
    for path in ["", "d3.js", *FILES]:
        reply = send_request(client.app, "GET", f"/{path}")
        assert reply.status == 200
        assert "default-src 'none'" in dict(reply.headers)["content-security-policy"]
        assert path == "d3.js" or b"http" + b"s://" not in reply.body
    assert send_request(client.app, "GET", "/..%2fapp.py").status == 401
    static = {
        file.name for file in (Path(application.__code__.co_filename).parent / "static").iterdir()
    }
    assert static == set(FILES)


def test_a_brush_is_answered_with_all_views(client: Client, key: str) -> None:
    found = json.loads(client.post("brush", {"brushes": {"b": [[1, 2]]}, "active": "b"}, key).body)
    assert found["selected"] == 1
    assert found["views"]["a"]["values"] == [1, 0]
    assert found["views"]["b"] == {"structure": "totals", "values": [2, 1]}
    asked = {"brushes": {"a": []}, "measure": ["a", "average"]}
    assert json.loads(client.post("brush", asked, key).body)["views"]["b"]["values"] == [None, None]


def test_long_integers_are_shown_exactly(client: Client, key: str) -> None:
    first = json.loads(client.post("first", {}, key).body)
    assert first == [[1, 2, 2], ["x", "y", "y"], [str(1 << 60), None, 3]]


@pytest.mark.parametrize(
    ("route", "body", "problem"),
    [
        ("brush", {"brushes": {"c": [[0, 1]]}}, b"no view 'c'"),
        ("brush", {"brushes": {"a": [[0, 9]]}}, b"no bar 8"),
        ("brush", {"brushes": {"a": [[0, 1000000000]]}}, b"Invalid request"),
        ("brush", {"measure": ["b", "sum"]}, b"no measure 'b'"),
        ("save", {"name": "../x"}, b"not suitable"),
        ("views", {"views": [["c", ""]]}, b"no column 'c'"),
        ("views", {"views": [["b", "log"]]}, b"cannot be divided by 'log'"),
        ("views", {"views": []}, b"There are 0 views"),
        ("first", {"order": ["c", "ascending"]}, b"no column 'c'"),
        ("download", {"form": "xlsx"}, b"Invalid request"),
    ],
)
def test_wrong_questions_are_refused(
    client: Client, key: str, route: str, body: object, problem: bytes
) -> None:
    reply = client.post(route, body, key)
    assert reply.status == 400
    assert problem in reply.body


def test_views_are_replaced_and_stay_if_they_cannot_be(client: Client, key: str) -> None:
    def shown(reply: Reply) -> list[tuple[str, str]]:
        return [(each["name"], each["how"]) for each in json.loads(reply.body)["views"]]

    before = client.post("describe", {}, key)
    assert shown(before) == [("a", ""), ("b", "")]
    assert json.loads(before.body)["more"] == ["big"]
    changed = client.post("views", {"views": [["big", "2"], ["a", "1,2"]]}, key)
    assert shown(changed) == [("big", "2"), ("a", "1,2")]
    client.post("views", {"views": [["a", "9..1"]]}, key)
    assert shown(client.post("describe", {}, key)) == [("big", "2"), ("a", "1,2")]
    assert json.loads(client.post("sql", {"brushes": {"a": [[2, 3]]}}, key).body)["sql"].endswith(
        """rows.parquet'\nwhere "a" >= 2"""
    )


def test_records_are_sorted_with_nulls_last(client: Client, key: str) -> None:
    for way, expected in (("ascending", ["3", str(1 << 60)]), ("descending", [str(1 << 60), "3"])):
        found = json.loads(client.post("first", {"order": ["big", way]}, key).body)[2]
        assert [str(each) for each in found] == [*expected, "None"]

"""The server's page: links that work for one login, files without a token, pictures of answers."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from helpers.asgi import HOST, Reply, send_request
from helpers.sampled import one_in
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.runtime.jars import fetch
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.page.login_links import LINK_SECONDS, PageLinks
from provhouse.serve.page.page_files import OWN, library_files
from provhouse.serve.people import People, Unidentified
from provhouse.serve.tokens import Role, add_token, revoke_token

from .conftest import Served

OWNER = "the owner's token"


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """The application of an empty warehouse."""
    settings = Settings(warehouse=tmp_path)
    access = Access(People(tmp_path, OWNER), frozenset({HOST}))
    return application(Keeper(settings, Silent()), settings, access)


def post(app: FastAPI, route: str, token: str | None, body: object = None) -> Reply:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return send_request(app, "POST", f"/v1/page/{route}", headers, json.dumps(body or {}).encode())


def opened(app: FastAPI, token: str) -> dict[str, str]:
    """Return the reply to a page that opens the link of the person with the given token."""
    link = json.loads(post(app, "link", token).body)["token"]
    found: dict[str, str] = json.loads(post(app, "open", None, {"token": link}).body)
    return found


def test_a_link_gives_a_key_once(app: FastAPI) -> None:
    link = json.loads(post(app, "link", OWNER).body)["token"]
    found = json.loads(post(app, "open", None, {"token": link}).body)
    assert (found["name"], found["role"]) == ("owner", "admin")
    key = {"authorization": f"Bearer {found['key']}"}
    assert send_request(app, "GET", "/v1/status", key).status == 200
    again = post(app, "open", None, {"token": link})
    assert again.status == 401
    assert b"was opened before" in again.body
    for guess in ("", "guess", found["key"], OWNER, "ü"):
        assert post(app, "open", None, {"token": guess}).status == 401
    link_as_key = {"authorization": f"Bearer {link}"}
    assert send_request(app, "GET", "/v1/status", link_as_key).status == 401


def test_a_key_has_the_role_of_its_person_and_ends_with_their_token(
    app: FastAPI, tmp_path: Path
) -> None:
    token = add_token(tmp_path, "ann", Role.read, None)
    found = opened(app, token)
    assert (found["name"], found["role"]) == ("ann", "read")
    key = {"authorization": f"Bearer {found['key']}"}
    assert send_request(app, "GET", "/v1/status", key).status == 200
    assert send_request(app, "GET", "/v1/metrics", key).status == 403
    assert send_request(app, "GET", "/v1/record?item=x", key).status == 403
    assert post(app, "records", found["key"], {"item": "x", "table": "t"}).status == 403
    for route in ("reports", "browser"):
        assert post(app, route, found["key"]).status == 403
    revoke_token(tmp_path, "ann")
    assert send_request(app, "GET", "/v1/status", key).status == 401


def test_charts_are_for_administrators(app: FastAPI, tmp_path: Path) -> None:
    fetch(Silent(), ["page"])
    assert b"<title>" in send_request(app, "GET", "/charts/", {}).body
    assert send_request(app, "GET", "/charts/page.js", {}).status == 200
    assert send_request(app, "GET", "/charts/../v1/status", {}).status == 404
    reader = add_token(tmp_path, "ben", Role.read, None)
    body = json.dumps({"table": "t", "brushes": {}, "name": "x"}).encode()
    for route in ("open", "number/describe", "number/brush", "number/first", "number/download",
                  "number/sql", "number/trace"):  # fmt: skip
        for token, status in ((reader, 403), ("guess", 401)):
            headers = {"authorization": f"Bearer {token}"}
            reply = send_request(app, "POST", f"/v1/charts/{route}", headers, body)
            assert reply.status == status, route
    headers = {"authorization": f"Bearer {OWNER}"}
    reply = send_request(app, "POST", "/v1/charts/number/describe", headers, b"{}")
    assert reply.status == 404
    assert b"These charts are closed" in reply.body


def test_a_left_key_is_refused(app: FastAPI) -> None:
    key = opened(app, OWNER)["key"]
    assert post(app, "leave", key).status == 200
    assert post(app, "leave", key).status == 401


def test_a_link_expires(tmp_path: Path) -> None:
    now = [0.0]
    links = PageLinks(People(tmp_path, OWNER), lambda: now[0])
    tokens = [links.link(f"Bearer {OWNER}") for _ in range(2)]
    now[0] = LINK_SECONDS
    assert links.exchange(tokens[0])
    now[0] += 0.1
    with pytest.raises(Unidentified, match="has expired"):
        links.exchange(tokens[1])


ROUTES = ["link", "leave", "picture", "records", "writes", "tables", "undecided"]


@pytest.mark.parametrize("route", one_in(3, ROUTES))
def test_without_a_token_nothing_is_answered(app: FastAPI, route: str) -> None:
    assert post(app, route, None, {"item": "x"}).status == 401
    assert post(app, route, "guess", {"item": "x"}).status == 401


def test_files_need_no_token_and_load_nothing_from_elsewhere(app: FastAPI) -> None:
    fetch(Silent(), ["page"])
    names = ["/", *(f"/static/{name}" for name in (*OWN, *library_files()))]
    for name in names:
        reply = send_request(app, "GET", name)
        headers = dict(reply.headers)
        assert reply.status == 200, name
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers
        assert "style=" not in reply.body.decode() or name.endswith(".js")
    for name in ("/static/", "/static/../auth.py", "/static/other.js", "/other"):
        assert send_request(app, "GET", name).status in (401, 404), name
    assert send_request(app, "GET", "/", {"host": "evil.example"}).status == 403


def test_records_are_those_of_one_table_of_the_answer(served: Served) -> None:
    table = served.triples[0].src_table
    of = {end: t for x in served.triples for end, t in ((x.src, x.src_table), (x.dst, x.dst_table))}
    asked = {"item": "t:40", "direction": "upstream", "tables": [table], "depth": 3}
    found = served.request("POST", "/v1/page/records", json=asked).json()
    expected = {name for name, _ in served.oracle.ask("t:40", "upstream", 3).items}
    (group,) = found["tables"] or ({"missing": []},)
    assert set(group["missing"]) == {name for name in expected if of[name] == table}


def drawn(served: Served, **question: Any) -> dict[str, Any]:
    """Return a picture of the shared server."""
    reply = served.request("POST", "/v1/page/picture", json=question)
    assert reply.status_code == 200, reply.text
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.parametrize("direction", ["upstream", "downstream"])
@pytest.mark.parametrize(
    "opened", [{}, {"op:op 1": 7, "table:t": 5, "table:no": 1}, {"op:op 0": 0}]
)
def test_a_picture_shows_each_item_once_and_each_triple_between_boxes(
    served: Served, direction: str, opened: dict[str, int]
) -> None:
    item = "t:100"
    expected = served.oracle.ask(item, direction)
    ops: dict[str, set[str]] = {}
    for _, dst, op in expected.triples:
        ops.setdefault(dst, set()).add(f"op:{op}")
    for by in ("table", "op"):
        found = drawn(served, item=item, direction=direction, by=by, opened=opened, most=12)
        boxes, links = found["boxes"], found["links"]
        assert len(boxes) <= 12
        assert (boxes[0]["name"], boxes[0]["depth"], boxes[0]["group"]) == (item, 0, "")
        assert found["found"] == len(expected.items)
        depths = dict(expected.items)
        apart = {box["name"]: box for box in boxes[1:] if box["kind"] == "item"}
        for name, box in apart.items():
            assert box["depth"] == depths[name]
            assert box["group"] in (ops.get(name, {"table:t"}) if by == "op" else {"table:t"})
        sizes = Counter[str]()
        for box in boxes[1:]:
            sizes[box["group"]] += box["items"]
        assert sum(sizes.values()) == len(expected.items)
        if by == "table":
            assert sizes == {"table:t": len(expected.items)}
            assert len(apart) == opened.get("table:t", 0)
            ends = {name: name for name in (item, *apart)}
            pairs = [(ends.get(s, "rest"), ends.get(d, "rest"), o) for s, d, o in expected.triples]
            names = [box["name"] if box["kind"] == "item" else "rest" for box in boxes]
            got = {(names[k["from"]], names[k["to"]], k["op"]): k["triples"] for k in links}
            assert got == Counter(pair for pair in pairs if pair[0] != pair[1])
        else:
            assert {f"op:op {n}" for n in range(3)} <= {*sizes}


@pytest.mark.parametrize("by", ["table", "op", "set", "module"])
def test_groups_beyond_the_last_box_are_one_box(served: Served, by: str) -> None:
    item = "t:250"
    for most in (3, 5, 60):
        found = drawn(served, item=item, by=by, most=most)
        boxes = found["boxes"]
        assert len(boxes) <= most
        assert sum(box["items"] for box in boxes[1:]) == found["found"] > 40
        rest = [box for box in boxes if box["kind"] == "rest"]
        assert sum(group["items"] for group in found["rest"]) == sum(b["items"] for b in rest)
        if rest:
            key = found["rest"][-1]["key"]
            again = drawn(served, item=item, by=by, most=most, opened={key: 0})
            assert key in [box["group"] for box in again["boxes"]]


def test_an_unknown_item_is_an_error_with_a_remedy(served: Served) -> None:
    reply = served.request("POST", "/v1/page/picture", json={"item": "nowhere"})
    assert reply.status_code == 404
    assert reply.json()["remedy"]


def test_a_record_that_no_file_has_says_so(served: Served) -> None:
    reply = served.request("POST", "/v1/record", json={"item": "t:100"})
    expected = {"item": "t:100", "table": "t", "values": {}, "file": "", "lost": []}
    assert reply.json() == expected

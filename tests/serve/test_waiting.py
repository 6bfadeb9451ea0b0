"""Questions wait while the server starts, and the server notices a new commit at once."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Timer
from time import monotonic

import pytest

from helpers.asgi import HOST, Reply, send_request
from helpers.oracle import Triple
from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve import keeper
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People


def asked_at_once(settings: Settings, items: bool) -> Reply:
    """Start a server, and return the reply to a question that is asked immediately."""
    starting = Keeper(settings, Silent())
    access = Access(People(Path("none"), "secret"), frozenset({HOST}))
    app = application(starting, settings, access)
    body = json.dumps({"items": ["b"]} if items else {"item": "b"}).encode()
    starting.start()
    try:
        token = {"authorization": "Bearer secret"}
        return send_request(app, "POST", "/v1/lineage", token, body)
    finally:
        starting.close()


@pytest.mark.long
@pytest.mark.parametrize("items", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_question_waits_while_the_server_starts(
    houses: Callable[..., House], items: bool
) -> None:
    house = houses()
    house.ingest([Triple("a", "b")])
    reply = asked_at_once(house.settings, items)
    assert reply.status == 200
    assert b'"item":"a"' in reply.body


@pytest.mark.long
def test_a_question_does_not_wait_for_a_server_that_cannot_start(
    houses: Callable[..., House],
) -> None:
    house = houses()
    house.ingest([Triple("a", "b")])
    began = monotonic()
    reply = asked_at_once(replace(house.settings, neo4j_uri="bolt://127.0.0.1:1"), False)
    assert monotonic() - began < 60
    assert reply.status == 503
    assert b"does not answer" in reply.body


def test_an_empty_warehouse_is_not_waited_for(tmp_path: Path) -> None:
    assert asked_at_once(Settings(warehouse=tmp_path), False).status == 404


@pytest.mark.parametrize("first", one_in(4, [False, True]))
def test_a_commit_ends_the_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    monkeypatch.setattr(keeper, "CHECK_SECONDS", 60)
    waiting = Keeper(Settings.load({"warehouse": tmp_path}), Silent())
    commits = waiting.layout.commits
    if not first:
        commits.mkdir()

    def commit() -> None:
        commits.mkdir(exist_ok=True)
        (commits / "1.json").write_text("{}")

    began = monotonic()
    before = waiting._commits_mark()
    timer = Timer(0.2, commit)
    timer.start()
    waiting._wait(before)
    timer.join()
    assert 0.1 < monotonic() - began < 30

"""A server's answers about workflows: paths only for some roles, no writes, no endless queries."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from time import perf_counter
from typing import Any

import pytest
from fastapi import FastAPI

from helpers.asgi import HOST, Reply, send_request
from helpers.flow import Flow, write
from helpers.sampled import one_in
from provhouse.model.progress import Silent
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People
from provhouse.serve.tokens import Role, add_token
from provhouse.workflows.proofs import StoredProof, store_proofs, stored_proofs, verifier
from provhouse.workflows.revision_names import RevisionName
from provhouse.workflows.revisions import find_revision

DDL = "create table t(a integer primary key, b integer);"
ALL = "select a, b from t where b > 1"
TIMES = 24
ENDLESS = f"""
    select x0.a, count(*)::integer as b from {", ".join(f"t x{at}" for at in range(TIMES))}
    where {" + ".join(f"x{at}.b" for at in range(TIMES))} > 3 group by x0.a"""
"""A query that would take years, even on a few rows."""
ASKED: dict[str, dict[str, Any]] = {
    "reuse": {"revision": "flow@r1"},
    "filter": {"revision": "flow@r2"},
    "results": {"workflow": "flow"},
    "why-not-reused": {"revision": "flow@r1"},
    "revision-diff": {"before": "flow@r1", "after": "flow@r3", "records": True},
}
ROUTES = {"filter": "reuse"}


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    """A workflow with three revisions, of which two were executed on different inputs."""
    made = Flow(tmp_path / "flow", DDL)
    made.folder.mkdir()
    made.table("t", "select i::integer a, (i % 9)::integer b from range(50) t(i)")
    made.execute(made.add(ALL), ALL, "t")
    made.add(f"{ALL} and a > 3")
    third = ALL.replace("1", "2")
    number = made.add(third)
    write(f"select * from '{made.folder}/t.parquet' where a > 1", made.folder / "other.parquet")
    out = made.folder / "out.parquet"
    write(f"select a, b from '{made.folder}/other.parquet' where b > 2", out)
    made.store_with({"result": out}, number, {"t": str(made.folder / "other.parquet")})
    return made


def served(flow: Flow, seconds: int = 60) -> FastAPI:
    """Return the application that serves a warehouse, without Spark and Neo4j."""
    settings = replace(flow.settings, answer_seconds=seconds)
    access = Access(People(settings.warehouse, "the owner's"), frozenset({HOST}))
    return application(Keeper(settings, Silent()), settings, access)


def reply(app: FastAPI, flow: Flow, role: Role, name: str, asked: dict[str, Any]) -> Reply:
    """Return the reply to a request of a person with the given role."""
    soon = datetime.now(UTC) + timedelta(hours=1)
    token = add_token(flow.settings.warehouse, token_hex(4), role, soon)
    headers = {"authorization": f"Bearer {token}"}
    return send_request(app, "POST", f"/v1/{name}", headers, json.dumps(asked).encode())


@pytest.mark.parametrize("gone", one_in(4, [True, False]), ids=["inputs are gone", "inputs exist"])
def test_only_an_admin_gets_paths_of_results_and_inputs(flow: Flow, gone: bool) -> None:
    if gone:
        (flow.folder / "t.parquet").unlink()
    app = served(flow)
    for name, asked in ASKED.items():
        for role in Role:
            found = reply(app, flow, role, ROUTES.get(name, name), asked)
            assert found.status == 200, found.body
            with_path = str(flow.folder).encode() in found.body
            if role is not Role.admin:
                assert not with_path, (name, found.body)
            elif name in ("results", "revision-diff"):
                assert with_path, (name, found.body)
                assert b"t.parquet" in found.body


@pytest.mark.long
def test_a_person_who_may_not_write_stores_no_verdict(flow: Flow) -> None:
    flow.add("select a, b from t where not (b <= 1) and a is not null")
    app, asked = served(flow), {"revision": "flow@r4"}
    for route in ("reuse", "why-not-reused"):
        assert reply(app, flow, Role.read, route, asked).status == 200
        assert not stored_proofs(flow.layout).verdicts
    assert reply(app, flow, Role.write, "reuse", asked).status == 200
    assert stored_proofs(flow.layout).verdicts


@pytest.mark.long
def test_stored_queries_end_when_the_time_of_the_question_is_up(flow: Flow) -> None:
    inputs, out = {"t": str(flow.folder / "t.parquet")}, flow.folder / "out.parquet"
    flow.store_with({"result": out}, flow.add(ENDLESS), inputs)
    flow.add(ENDLESS.replace("> 3", "> 4"))
    app, began = served(flow, 1), perf_counter()
    asked = {"before": "flow@r3", "after": "flow@r4"}
    _times_out(app, flow, "revision-diff", asked)
    _times_out(app, flow, "reuse", {"revision": "flow@r5"})
    one, other = (find_revision(flow.layout, RevisionName("flow", n)).sink()[1] for n in (3, 4))
    known = StoredProof(one.key, other.key, "unknown", "proof", "", 0, (), "", verifier())
    store_proofs(flow.layout, [known])
    assert reply(app, flow, Role.read, "revision-diff", asked).status == 200
    _times_out(app, flow, "revision-diff", {**asked, "records": True})
    assert perf_counter() - began < 120  # the queries themselves would take years


def _times_out(app: FastAPI, flow: Flow, name: str, asked: dict[str, Any]) -> None:
    found = reply(app, flow, Role.read, name, asked)
    assert found.status == 504, found.body
    assert json.loads(found.body)["title"] == "The answer takes longer than 1 seconds"

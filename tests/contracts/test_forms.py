"""For each question, all replies stay equal byte for byte, as do refusals and the Python API."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from io import BytesIO
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pytest
from fastapi import FastAPI

from helpers.asgi import HOST, send_request
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.output.arrow_writer import HEADER
from provhouse.reader import Reader
from provhouse.rows import Rows
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People

Golden = Callable[[str, str], None]
HEAD = "src,dst,op,src_table,dst_table,module,invocation,execution,role,op_kind,derivation,value,by"
FIRST = f"""\
{HEAD}
raw/1,clean/1,strip,raw,clean,curate,1,monday,,all,1,,shop
raw/2,clean/2,strip,raw,clean,curate,1,monday,,all,1,,
ref/=1,clean/1,look up,ref,clean,curate,1,monday,state,all,1,,
clean/1,total/1,total,clean,total,report,1,monday,output,aggregate,1,5,
clean/2,total/1,total,clean,total,report,1,monday,output,aggregate,1,7,
clean/2,odd é;=x,total,clean,,,,,,,,,
"""
SECOND = f"""\
{HEAD}
raw/3,clean/3,strip,raw,clean,curate,2,tuesday,,all,1,,shop
clean/3,total/1,total,clean,total,report,1,monday,output,aggregate,1,2.5,
"""
MODULES = '[[modules]]\nmodule = "report"\nops = ["total"]\ninputs = ["clean"]\n'
ACCEPTED = {
    "json": "application/json",
    "lines": "application/jsonl",
    "csv": "text/csv",
    "text": "text/plain",
    "arrow": "application/vnd.apache.arrow.stream",
}
QUESTIONS: dict[str, dict[str, object]] = {
    "lineage": {"item": "total/1"},
    "lineage?sets": {"item": "total/1", "sets": True, "where": [["by", "shop"], ["no", "x"]]},
    "lineage?summary": {"item": "total/1", "summary": True},
    "impact": {"item": "raw/2"},
    "path": {"from": "raw/1", "to": "total/1"},
    "path?all": {"from": "raw/2", "to": "total/1", "all": True, "as_of": 1},
    "subgraph": {"item": "clean/2"},
    "origins": {"item": "total/1", "limit": 1},
    "find": {"text": "a", "anywhere": True, "table": "clean", "limit": 2},
    "explain": {"item": "total/1", "depth": 1},
    "set": {"set": 1, "limit": 1},
    "diff": {"item": "total/1", "from": 1, "to": 3},
    "diff?downstream": {"item": "raw/3", "direction": "downstream", "from": 1},
    "ops": {},
    "values": {"of": "op", "limit": 2},
    "record": {"item": "total/1"},
    "catalogue": {},
    "what-if": {"items": ["clean/1"], "ops": ["look up"]},
    "what-if?summary": {"tables": ["raw"], "where": [["by", "shop"]], "summary": True},
    "what-if-each": {"item": "total/1", "limit": 1},
    "depends": {"item": "total/1", "on": "raw/1"},
    "why": {"item": "total/1", "limit": 2},
    "why-changed": {"item": "total/1", "from": 1},
    "evaluate": {"item": "total/1", "semiring": "cost", "weights": [["raw/1", 2.5]]},
    "zoom": {"item": "total/1", "foldable": True},
    "zoom?record": {"item": "total/1", "zoom": "record", "fold": ["curate"], "depth": 2},
    "zoom-path": {"from": "raw/1", "to": "total/1", "zoom": "table"},
    "zoom-diff": {"item": "total/1", "from": 1, "zoom": "table"},
    "zoom-what-if": {"items": ["raw/1"], "zoom": "table"},
    "modules": {},
    "invocations": {"module": "curate"},
    "view": {"item": "total/1"},
    "generations": {},
}
"""The request fields of each question. A key is the question's name, or ``NAME?VARIANT``."""
WRONG: tuple[dict[str, object], ...] = (
    {"another": 1}, {"item": ""}, {"item": "no such"}, {"item": "total/1", "limit": 0},
    {"from": "", "to": "x"}, {"items": [""]}, {"item": "total/1", "as_of": 99}, {"module": ""},
    {"text": "x", "limit": 0}, {"set": 0}, {"set": 77}, {"item": "total/1", "fold": ["none"]},
)  # fmt: skip
TIMES = re.compile(r"\b\d[\d,.]*(?= ?(?:ms|s|seconds|minutes)\b)")
STAMPS = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)?")
NUMBERS = re.compile(r'("(?:seconds|prepare)":)(\{[^}]*\}|[\d.e-]+)')
STEPS = re.compile(r" \((?:\w+ N m?s(?:, )?)+\)")
ADDRESSES = re.compile(r"http[^\s\"]+|[0-9a-f]{8}-[0-9a-f-]{27}|'[0-9a-f]{14,}'")


@pytest.fixture(scope="module")
def nightly(houses: Callable[..., House]) -> House:
    """A warehouse with three generations, which has modules, described ops and values."""
    house = houses(answer_seconds=600)
    folder = house.settings.warehouse.parent
    for name, text in (("first.csv", FIRST), ("second.csv", SECOND), ("modules.toml", MODULES)):
        (folder / name).write_text(text)
    (folder / "ops.csv").write_text("op,kind,function\ntotal,aggregate,sum\n")
    house.ingest_files(folder / "first.csv", run="nightly")
    house.ingest_files(folder / "second.csv")
    house.ingest_files(operations=folder / "ops.csv", modules=folder / "modules.toml")
    return house


@pytest.fixture(scope="module")
def served(nightly: House) -> Iterator[FastAPI]:
    """The application that serves the warehouse, ready to answer."""
    keeper = Keeper(nightly.settings, Silent())
    people = People(nightly.settings.warehouse, "secret")
    app = application(keeper, nightly.settings, Access(people, frozenset({HOST})))
    keeper.start()
    try:
        deadline = monotonic() + 60
        while send_request(app, "GET", "/v1/health").status != 200:
            assert monotonic() < deadline, keeper.not_ready_reason
            sleep(0.02)
        yield app
    finally:
        keeper.close()


def reply(app: FastAPI, name: str, body: dict[str, object], form: str) -> tuple[int, bytes]:
    """Post a question and return the status and the body of the reply."""
    headers = {"authorization": "Bearer secret", "accept": ACCEPTED[form]}
    path = f"/v1/{name.partition('?')[0]}" + ("?width=1000" if form == "text" else "")
    found = send_request(app, "POST", path, headers, json.dumps(body).encode())
    return found.status, found.body


def steady(text: str) -> str:
    """Return a string without times, addresses and IDs."""
    text = ADDRESSES.sub("ADDRESS", STAMPS.sub("TIME", text))
    text = STEPS.sub("", TIMES.sub("N", NUMBERS.sub(r"\1N", text)))
    return re.sub(r" +\n", "\n", text)


def arrow(content: bytes) -> str:
    """Return the schemas and rows of Arrow streams, and the header in the first stream."""
    source, lines = BytesIO(content), list[str]()
    while source.tell() < len(content):
        with pa.ipc.open_stream(source) as stream:
            table = stream.read_all()
        metadata = table.schema.metadata or {}
        if HEADER in metadata:
            lines.append(json.dumps(json.loads(metadata[HEADER]), sort_keys=True))
        lines.append(str(table.schema.remove_metadata()))
        lines.extend(json.dumps(row, ensure_ascii=False) for row in table.to_pylist())
    return re.sub(r'("(?:seconds|prepare)": )(\{[^}]*\}|[\d.e-]+)', r"\1N", "\n".join(lines))


@pytest.mark.parametrize("name", QUESTIONS)
def test_replies_in_each_form_are_the_same(name: str, served: FastAPI, golden: Golden) -> None:
    parts = []
    for form in ACCEPTED:
        status, body = reply(served, name, QUESTIONS[name], form)
        assert status == 200, body
        parts.append(f"== {form}\n{arrow(body) if form == 'arrow' else body.decode()}")
    golden(f"forms/{name.replace('?', '-')}.txt", steady("\n".join(parts)))


def test_a_get_is_answered_as_a_post_is(served: FastAPI) -> None:
    for name, body in QUESTIONS.items():
        plain = {key: value for key, value in body.items() if not isinstance(value, list)}
        if plain != body or name == "view":
            continue
        query = "&".join(f"{key}={quote(str(value))}" for key, value in body.items())
        path = f"/v1/{name.partition('?')[0]}?{query}"
        got = send_request(served, "GET", path, {"authorization": "Bearer secret"})
        assert steady(got.body.decode()) == steady(reply(served, name, body, "json")[1].decode())


def test_refusals_of_each_question_are_the_same(served: FastAPI, golden: Golden) -> None:
    lines = []
    for name in sorted({name.partition("?")[0] for name in QUESTIONS}):
        for body in WRONG:
            status, text = reply(served, name, body, "json")
            shown = text.decode() if status >= 400 else "{}"
            lines.append(f"{name} {json.dumps(body)}: {status} {steady(shown)}\n")
    golden("refused.txt", "".join(lines))


ASKED: dict[str, Callable[[Reader], Any]] = {
    "lineage": lambda house: house.lineage("total/1", sets=True),
    "impact": lambda house: house.impact("raw/2", limit=1),
    "summary": lambda house: house.lineage("total/1", summary=True),
    "path": lambda house: house.path("raw/1", "total/1", every=True),
    "subgraph": lambda house: house.subgraph("clean/2"),
    "origins": lambda house: house.origins("total/1"),
    "find": lambda house: house.find("a", anywhere=True, table="clean", limit=2),
    "explain": lambda house: house.explain("total/1", depth=1),
    "diff": lambda house: house.diff("total/1", 1),
    "what_if": lambda house: house.what_if("clean/1", ops=["look up"], where={}),
    "what_if_each": lambda house: house.what_if_each("total/1"),
    "depends": lambda house: house.depends("total/1", "raw/1"),
    "why": lambda house: house.why("total/1"),
    "why_changed": lambda house: house.why_changed("total/1", 1),
    "evaluate": lambda house: house.evaluate("total/1", "cost", {"raw/1": 2.5}),
    "ops": lambda house: house.ops(),
    "values": lambda house: house.values("attributes.by", contains="s"),
    "record": lambda house: house.record("total/1"),
    "catalogue": lambda house: house.catalogue(),
    "modules": lambda house: house.modules(),
    "invocations": lambda house: house.invocations("curate"),
    "zoom": lambda house: house.zoom("total/1"),
    "zoom_path": lambda house: house.zoom_path("raw/1", "total/1", "table"),
    "zoom_diff": lambda house: house.zoom_diff("total/1", 1, level="table"),
    "zoom_what_if": lambda house: house.zoom_what_if("raw/1", level="table"),
    "generations": lambda house: house.generations(),
}


def python(value: object, indent: str = "") -> Iterator[str]:
    """Yield the fields of a public result, by name. Each row is on a line of its own."""
    if isinstance(value, Rows):
        yield f"{indent}{value!r}"
        yield from (f"{indent}  {row!r}" for row in value)
    elif is_dataclass(value):
        yield f"{indent}{type(value).__name__}"
        for field in sorted(fields(value), key=lambda each: each.name):
            if field.repr and field.name not in ("seconds", "time"):
                yield f"{indent} {field.name}:"
                yield from python(getattr(value, field.name), f"{indent}  ")
    else:
        yield f"{indent}{value!r}"


def test_python_programs_get_the_same_objects(nightly: House, golden: Golden) -> None:
    with nightly.open() as opened:
        lines = [line for name, ask in ASKED.items() for line in (name, *python(ask(opened)))]
    golden("python.txt", steady("\n".join(lines)) + "\n")


def test_the_methods_of_python_programs_are_the_same(golden: Golden) -> None:
    lines = []
    for name, method in inspect.getmembers(Reader, inspect.isfunction):
        if not name.startswith("_") and name != "ask":  # the other methods use ``ask``
            lines.append(f"{name}{inspect.signature(method)}\n{inspect.getdoc(method)}\n\n")
    golden("methods.txt", "".join(lines))


PICTURES = {
    "image/svg+xml": "<svg", "text/vnd.graphviz": "digraph", "text/vnd.mermaid": "flowchart LR",
    "text/html": "<!doctype html>",
}  # fmt: skip
PICTURED = ("lineage", "impact", "path", "subgraph", "diff", "zoom", "zoom-path", "zoom-diff",
            "zoom-what-if")  # fmt: skip


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_are_answers_in_media_types_of_their_own(kind: str, served: FastAPI) -> None:
    headers = {"authorization": "Bearer secret", "accept": kind}
    for name in (one for one in QUESTIONS if "?" not in one):
        body = json.dumps(QUESTIONS[name]).encode()
        found = send_request(served, "POST", f"/v1/{name}", headers, body)
        if name in PICTURED:
            assert found.status == 200, found.body
            assert found.body.decode().startswith(PICTURES[kind])
            assert dict(found.headers)["content-type"].partition(";")[0] == kind
        else:
            assert found.status == 400, name
            assert b"This result has no picture" in found.body

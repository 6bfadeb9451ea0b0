"""Hostile names, tables, ops and attributes, sent through every route and in every format.

Answers contain these values unchanged, and no control sequence reaches a terminal.
"""

import csv
import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.command import Command
from helpers.hostile import HOSTILE, harmless
from helpers.oracle import Triple
from helpers.sampled import one_in
from provhouse.cli.app import run
from provhouse.model.progress import Silent
from provhouse.serve import server_process as process

if TYPE_CHECKING:
    from .conftest import Served

ALL = "hostile:all"
OUT = "hostile:out"
SHOWN = (
    ("lineage", OUT),
    ("lineage", OUT, "--format", "csv"),
    ("cypher", "MATCH (t:Table {warehouse: $warehouse}) RETURN t", "--format", "csv"),
)
"""Commands whose output on a terminal contains hostile values."""
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def hostile(served: "Served") -> "Served":
    """Ingest each hostile value as a name, a table, an op, and an attribute's key and value."""
    path = served.house.settings.warehouse.parent / "hostile [x] '$(id)'.jsonl"
    with path.open("w") as file:
        for value in HOSTILE:
            ends = {"src": value, "dst": ALL, "op": value, "src_table": value, "dst_table": "all"}
            file.write(json.dumps({**ends, f"key {value}": value}) + "\n")
        file.write(json.dumps({"src": ALL, "dst": OUT, "op": "", "dst_table": "all"}) + "\n")
    summary = served.house.ingest_files(path)
    process.await_generation(served.house.settings, summary.generation, Silent())
    names = [Triple(value, ALL, value, value, "all") for value in HOSTILE]
    served.triples += [*names, Triple(ALL, OUT, "", "all", "all")]
    return served


@pytest.fixture
def ask(
    hostile: "Served", monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ask:
    """Return a function that runs a command like the console script."""
    monkeypatch.setenv("PROVHOUSE_WAREHOUSE", str(hostile.house.settings.warehouse))
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(hostile.house.settings.graph_home))

    def asked(*arguments: str) -> tuple[int, str, str]:
        status = run(arguments)
        out, err = capsys.readouterr()
        assert status in (0, 2, 3, 4, 5), (arguments, err)
        assert "Traceback" not in err, arguments
        assert harmless(err), (arguments, err)
        return status, out, err

    return asked


def exact(answer: dict[str, Any]) -> None:
    """Check that the lineage of the item ``ALL`` contains every hostile value exactly."""
    names = {row["item"] for row in answer["items"]}
    assert names == {ALL, *HOSTILE}
    assert {row["table"] for row in answer["items"]} == {"all", *HOSTILE}
    found = {(t["src"], t["op"], *t["attributes"].items()) for t in answer["triples"]}
    assert found == {(v, v, (f"key {v}", v)) for v in HOSTILE} | {(ALL, "")}


def test_routes_answer_exactly(hostile: "Served") -> None:
    exact(hostile.get("/v1/lineage", item=OUT).json())
    body = {"items": [*HOSTILE], "depth": 1}
    replies = hostile.request("POST", "/v1/impact", json=body).text.removesuffix("\n").split("\n")
    for value, line in zip(HOSTILE, replies, strict=True):
        answer = json.loads(line)
        assert (answer["item"], [row["item"] for row in answer["items"]]) == (value, [ALL])


@pytest.mark.parametrize("value", one_in(4, HOSTILE), ids=range(len(HOSTILE)))
def test_every_question_accepts_a_hostile_value(hostile: "Served", value: str) -> None:
    def posted(path: str, **body: object) -> Any:
        reply = hostile.request("POST", path, json=body)
        assert reply.status_code == 200, (path, reply.text)
        assert harmless(reply.text), path
        return reply.json()

    only = posted("/v1/lineage", item=OUT, ops=[value])["triples"]
    assert [t["src"] for t in only] == [value]
    only = posted("/v1/lineage", item=OUT, where=[[f"key {value}", value]])["triples"]
    assert [t["src"] for t in only] == [value]
    only = posted("/v1/lineage", item=OUT, tables=[value])["items"]
    assert [row["item"] for row in only] == [value]
    way = posted("/v1/path", **{"from": value, "to": OUT})
    assert [row["item"] for row in way["items"]] == [value, ALL, OUT]
    assert value in {row["item"] for row in posted("/v1/find", text=value, limit=1000)["items"]}
    assert posted("/v1/explain", item=value)["item"] == value
    if len(value) < 5_000:
        assert hostile.get("/v1/impact", item=value, summary=True).json()["item"] == value
    missing = hostile.request("POST", "/v1/lineage", json={"item": f"no {value}"})
    assert missing.status_code == 404
    assert harmless(missing.text)


def test_every_format_is_harmless(hostile: "Served") -> None:
    table = hostile.request(
        "GET", "/v1/lineage", params={"item": OUT, "color": True, "width": 200},
        headers={"Accept": "text/plain"},
    )  # fmt: skip
    assert table.status_code == 200
    assert "DETACH DELETE" in table.text
    assert harmless(table.text, colours=True)
    text = hostile.request(
        "GET", "/v1/lineage", params={"item": OUT}, headers={"Accept": "text/csv"}
    )
    rows = list(csv.reader(io.StringIO(text.content.decode(), newline="")))
    assert {row[0] for row in rows[1:]} == {ALL, *HOSTILE}
    safe = {"item": OUT, "csv_safe": True}
    text = hostile.request("GET", "/v1/lineage", params=safe, headers={"Accept": "text/csv"})
    rows = list(csv.reader(io.StringIO(text.content.decode(), newline="")))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t"))]
    assert "'=cmd|'/C calc'!A0" in {row[0] for row in rows}


def test_a_request_that_is_not_text_is_refused(hostile: "Served") -> None:
    for body in (b'{"item": "\\ud800"}', b'{"\\ud800": 1, "item": "x"}', b'{"item": "\xff"}', b"\0",
                 b"[" * 100_000, b'{"item": "x", "depth": 1' + b"0" * 5_000 + b"}"):  # fmt: skip
        headers = {"Content-Type": "application/json"}
        reply = hostile.request("POST", "/v1/lineage", data=body, headers=headers)
        assert reply.status_code == 400, (body[:30], reply.text[:200])
        assert harmless(reply.text)


@pytest.mark.long
@pytest.mark.parametrize("forms", [("table",), pytest.param(("json",), marks=pytest.mark.long)])
def test_commands_answer_exactly(ask: Ask, tmp_path: Path, forms: tuple[str, ...]) -> None:
    exact(json.loads(ask("lineage", OUT)[1]))
    kept = json.loads(ask("generations", "--format", "json")[1])
    first = str(kept[0]["generation"])  # other tests may have pruned the first generation
    for form in forms:
        for command in (("lineage", OUT), ("impact", ALL), ("find", "", "--limit", "1000"),
                        ("path", HOSTILE[0], OUT), ("explain", OUT), ("generations",), ("status",),
                        ("diff", OUT, "--from", first), ("lineage", OUT, "--summary")):  # fmt: skip
            status, out, err = ask(*command, "--format", form)
            assert status == 0, err
            assert harmless(out), (command, form)
    file = tmp_path / "all.csv"
    assert ask("lineage", OUT, "--csv-safe", "--out", str(file))[0] == 0
    assert "\"'=cmd|'/C calc'!A0\"" in file.read_text()
    query = "MATCH (t:Table {warehouse: $warehouse, name: $name}) RETURN t.name AS name"
    for value in (*HOSTILE[:40:3], "-1+1"):
        given = ("--param", f"name={json.dumps(value)}")
        assert json.loads(ask("cypher", query, *given)[1]) == [{"name": value}]


@pytest.mark.long
@pytest.mark.parametrize("every", [48, pytest.param(1, marks=pytest.mark.long)])
def test_messages_about_hostile_arguments_are_harmless(
    ask: Ask, tmp_path: Path, every: int
) -> None:
    """Hostile names, options, settings, paths and queries are tried. No argument can contain NUL.

    If ``every`` is 48, every fourth value is tried in one position.
    """
    for number, value in enumerate(value.replace("\0", "") for value in HOSTILE):
        places = (
            ("lineage", "--", f"no {value}"),
            ("lineage", OUT, "--as-of", f"no {value}"),
            ("lineage", OUT, "--method", value),
            ("lineage", OUT, "--where", value),
            ("--set", value, "status"),
            ("--set", f"theta={value}", "status"),
            ("--set", f"{value}=1", "status"),
            ("lineage", "--items", f"{tmp_path}/no/{value}"),
            ("ingest", f"{tmp_path}/no/{value}.csv", "--dry-run"),
            ("ingest", "x.csv", "--map", value),
            ("cypher", "RETURN 1", "--param", value),
            (value,),
        )
        for arguments in places[number * 5 % every :: every]:
            if value == "--help":
                continue
            status, out, _ = ask(*arguments)
            if "=" not in value:  # a value that contains = may be a valid filter or parameter
                assert (status != 0, out) == (True, ""), arguments


@pytest.mark.parametrize("asked", [SHOWN[:1], pytest.param(SHOWN, marks=pytest.mark.long)])
def test_a_terminal_gets_no_control_sequences(
    hostile: "Served", asked: tuple[tuple[str, ...], ...]
) -> None:
    command = Command(hostile.house.settings.warehouse, hostile.house.settings.graph_home)
    command.kept = True
    for arguments in asked:
        terminal = command.on_terminal(*arguments)
        terminal.process.wait(120)
        terminal._reader.join(60)
        assert terminal.process.returncode == 0, terminal.seen
        assert "DETACH DELETE" in terminal._seen
        assert harmless(terminal._seen, colours=True), arguments


def test_secrets_do_not_leak(hostile: "Served", address: Any) -> None:
    """No command line, environment, log, message or repr contains the token or the password."""
    settings = hostile.house.settings
    token = (settings.warehouse / "server" / "token").read_text()
    secrets = (token, address.password)
    assert not [one for one in secrets if one in repr(address)]
    processes = [hostile.process, *hostile.process.children(recursive=True)]
    for one in processes:
        shown = b""
        with suppress(OSError):  # a worker of Spark may end in the meantime
            shown += Path(f"/proc/{one.pid}/cmdline").read_bytes()
            shown += Path(f"/proc/{one.pid}/environ").read_bytes()
        assert not [secret for secret in secrets if secret.encode() in shown], one
    logs = [*settings.warehouse.glob("logs/*"), *settings.graph_home.glob("logs/*")]
    assert logs
    for log in (log for log in logs if log.is_file()):
        assert not [secret for secret in secrets if secret.encode() in log.read_bytes()], log
    written = set(
        settings.warehouse.glob("logs/*")
    )  # spark.log: tests/runtime/spark/test_session.py
    private = (settings.warehouse / "server" / "token", address.password_file, *written)
    assert {file.name: file.stat().st_mode & 0o777 for file in private} == {
        file.name: 0o600 for file in private
    }
    assert (settings.graph_home / "logs").stat().st_mode & 0o777 == 0o700


def test_servers_listen_on_loopback_only(hostile: "Served", address: Any) -> None:
    import psutil

    ports = {
        hostile.server.port,
        *(int(url.rpartition(":")[2]) for url in (address.bolt, address.http)),
    }
    family = [
        hostile.process,
        *hostile.process.children(recursive=True),
        *psutil.Process().children(),
    ]
    listening = [one.laddr for process in family for one in process.net_connections("tcp")
                 if one.status == psutil.CONN_LISTEN]  # fmt: skip
    assert ports <= {one.port for one in listening}
    assert {one.ip.removeprefix("::ffff:") for one in listening} <= {"127.0.0.1", "::1"}

"""A question on the command line starts a server, which answers later questions too.

The server's answers reflect changes of the warehouse. The command ``down`` stops the server.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.command import Command
from helpers.warm import Warm

MORE = "src,dst,op,src_table,dst_table\nreport,mail,send,report,mail\n"
STARTED = re.compile(r"Started a server for the next questions \(process (\d+)\)")


@pytest.fixture(scope="module")
def house(
    tmp_path_factory: pytest.TempPathFactory, first_file: Path, warm: Warm
) -> Iterator[Command]:
    """A warehouse with a Neo4j of its own. Questions about the warehouse may start a server."""
    typed = {"PROVHOUSE_IDLE_MINUTES": "15", "CI": ""}
    command = Command(tmp_path_factory.mktemp("up") / "warehouse", settings=typed)
    command.keep_neo4j()  # starting Neo4j takes most of the time of a command
    replace(command, by=warm)("ingest", first_file)
    yield command
    command.end_all()


@pytest.fixture
def writer(house: Command, warm: Warm) -> Command:
    """Commands that write while the server is running.

    They are forked, so that they start quickly.
    """
    return replace(house, by=warm)


def child_seconds() -> float:
    """Return the processor time, in seconds, of all ended commands.

    A busy machine does not increase it.
    """
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.long
def test_other_questions_start_no_server(house: Command) -> None:
    neo4j = house.running()
    house.on_terminal("--no-server", "lineage", "unknown").ended(3)
    house.on_terminal("find", "raw").ended(0)
    house("lineage", "unknown", status=3)  # standard output is a pipe here
    replace(house, settings={"CI": "true"}).on_terminal("lineage", "unknown").ended(3)
    assert house.running() == neo4j


@pytest.mark.long
def test_two_typed_questions_start_one_server(house: Command) -> None:
    house("lineage", "unknown", status=3)  # standard output is a pipe here
    assert not house.running("provhouse.serve")
    terminals = [house.on_terminal("lineage", "report"), house.on_terminal("impact", "raw/1")]
    for terminal in terminals:
        terminal.process.wait(300)  # ``ended`` would fail while the other command runs
    shown = [terminal.ended(0) for terminal in terminals]
    assert "raw/2" in shown[0]
    assert "clean/1" in shown[1]
    (server,) = house.running("provhouse.serve")
    assert STARTED.findall("".join(shown)) == [str(server.pid)]
    assert "or with `provhouse down`" in " ".join("".join(shown).split())
    assert "Started" not in house.on_terminal("lineage", "clean/1").ended(0)
    assert "The server is running at http://127.0.0.1:" in house("up").out
    assert [one.pid for one in house.running("provhouse.serve")] == [server.pid]


@pytest.mark.long
def test_answers_are_fast_and_right(house: Command) -> None:
    house("up")
    before = child_seconds()
    answer = json.loads(house("lineage", "report").out)
    assert child_seconds() - before < 4  # starting Spark would take three times that
    assert [(row["item"], row["depth"]) for row in answer["items"]] == [
        ("clean/1", 1), ("clean/2", 1), ("raw/1", 2), ("raw/2", 2),
    ]  # fmt: skip


@pytest.mark.long
def test_results_have_the_requested_format(house: Command, tmp_path: Path) -> None:
    table = house("impact", "raw/1", "--format", "table").out
    assert table.startswith("raw/1 (raw) affects 2 items in 2 tables")
    out = tmp_path / "impact.csv"
    assert house("impact", "raw/1", "--depth", "1", "--out", out).out == ""
    assert out.read_text() == "item,table,depth\nclean/1,clean,1\n"


@pytest.mark.long
def test_missing_items_of_many_are_reported(house: Command, tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("report\nmissing\nclean/2\nno one\n")
    done = house("lineage", "--items", names, status=3)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["item"] for line in lines] == ["report", "missing", "clean/2", "no one"]
    assert [line.get("found", True) for line in lines] == [True, False, True, False]
    assert done.message == "2 of 4 items are missing\nThe first is 'missing'"
    rows = house("lineage", "--items", names, "--format", "csv", status=3).out.splitlines()
    assert rows[0] == "asked,item,table,depth"
    assert len(rows) == 1 + 4 + 1


@pytest.mark.long
def test_errors_equal_those_of_a_command(house: Command) -> None:
    done = house("lineage", "reprot", status=3)
    assert done.message.splitlines()[0] == "Item 'reprot' is not in generation 1"
    assert done.out == ""


@pytest.mark.long
def test_a_retraction_names_exactly_one_thing(writer: Command) -> None:
    for named in ((), ("report", "--run", "x"), ("--run", "")):
        writer("retract", *named, status=2)
    done = writer("retract", "--file", "nowhere.csv", status=3)
    assert "The stored triples come from 1 other file" in done.message


@pytest.mark.long
def test_the_server_follows_before_a_writing_command_ends(
    house: Command, writer: Command, tmp_path: Path
) -> None:
    house("up")
    (tmp_path / "more.csv").write_text(MORE)
    writer("ingest", tmp_path / "more.csv", "--run", "monday")
    assert json.loads(house("lineage", "mail").out)["generation"] == 2
    done = json.loads(writer("retract", "--run", "monday").out)
    assert [done[name] for name in ("generation", "ended", "kept", "triples")] == [3, 1, 0, 4]
    asked = (json.loads(house("lineage", "mail", *as_of).out) for as_of in ((), ("--as-of", 2)))
    assert [(found["generation"], len(found["items"])) for found in asked] == [(3, 0), (2, 5)]
    assert json.loads(writer("rollback").out)["triples"] == 5
    status = json.loads(writer("compact").out)
    assert [status[name] for name in ("generation", "triples", "partitions")] == [5, 5, 1]
    assert json.loads(house("lineage", "mail").out)["generation"] == 5
    status = json.loads(writer("rollback").out)
    assert [status[name] for name in ("generation", "triples", "compact")] == [6, 4, False]
    status = json.loads(writer("rollback").out)  # the server switches even to an empty generation
    assert (status["generation"], status["triples"]) == (7, 0)
    assert (
        house("lineage", "mail", status=3).message.splitlines()[1].startswith("None of its 0 items")
    )


@pytest.mark.long
def test_down_leaves_no_process(house: Command) -> None:
    assert json.loads(house("status").out)["server"].startswith("http://127.0.0.1:")
    assert house("down").out == "The server is stopped.\nNeo4j is stopped.\n"
    assert not house.running()
    assert json.loads(house("status").out)["server"] is None

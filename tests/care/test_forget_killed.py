"""Erasures that wipe their own Neo4j, and erasures that are killed.

After a kill, questions are answered, and repeating the command reports what the erasure did.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from helpers.command import Command
from helpers.leftovers import leftovers
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.cypher import neo4j_process as process
from provhouse.cypher import server
from provhouse.ingest.ingest import ingest
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.lineage.ask import Asker

ROWS = (
    "src,dst,op\nraw,person/1,read\nperson/1,report,sum\nraw,person/2,read\nperson/2,report,sum\n"
)
POINTS = ("Neo4j wiped", "erased written", "segment rewritten", "look-up switched")


def killed(command: Command, point: str, *arguments: str) -> None:
    """Run a command until it stops at a fault point, and kill the command there."""
    armed = Command(command.warehouse, settings={"PROVHOUSE_FAULT": f"{point}=stop"})
    child = armed.start(*arguments)
    process = psutil.Process(child.pid)
    until = time.monotonic() + 120
    while process.status() != psutil.STATUS_STOPPED:
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    process.kill()
    child.communicate()


@pytest.fixture
def stored(tmp_path: Path, houses: Callable[..., House]) -> Settings:
    """The settings of a warehouse with its own Neo4j, which an erasure has to rebuild."""
    (tmp_path / "rows.csv").write_text(ROWS)
    settings = houses(neo4j_home=None).settings
    ingest([tmp_path / "rows.csv"], settings, progress=Silent())
    return settings


@pytest.fixture
def command(stored: Settings) -> Command:
    """Commands on the warehouse."""
    return Command(stored.warehouse)


@pytest.fixture
def running(tmp_path: Path, houses: Callable[..., House]) -> Iterator[Settings]:
    """The settings of a warehouse whose own Neo4j keeps running until the end of the test."""
    (tmp_path / "rows.csv").write_text(ROWS)
    settings = houses(neo4j_home=None).settings
    home = settings.graph_home
    server.up(home, "512m", Silent())
    ingest([tmp_path / "rows.csv"], settings, progress=Silent())
    yield settings
    process.stop(server.process_id(home), home)


@pytest.mark.long
def test_an_erasure_wipes_neo4j(running: Settings) -> None:
    """No file contains the name any more. ``test_forget.py`` tests interrupted erasures."""
    assert leftovers([running.warehouse / "neo4j"], [], ["read"])
    assert forget(["person/1"], running, Silent()).neo4j
    assert leftovers([running.warehouse], [], ["person/1"]) == set()
    with Asker(running, Silent()) as asker:
        answer = asker.ask("report", "upstream")
    assert answer.items["item"].to_pylist() == ["person/2", "raw"]
    assert answer.erased == 1


@pytest.mark.long
def test_a_killed_erasure_is_completed(command: Command) -> None:
    """A question completes the erasure. ``test_forget.py`` repeats the command instead."""
    killed(command, POINTS[0], "forget", "person/1")
    answer = json.loads(command("lineage", "report", "--format", "json").out)
    assert [item["item"] for item in answer["items"]] == ["person/2", "raw"]
    assert answer["erased"] == 1
    assert not (command.warehouse / "erasure.json").exists()
    assert leftovers([command.warehouse], [], ["person/1"]) == set()


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS[1:])
def test_questions_have_answers_after_an_erasure_was_killed(command: Command, point: str) -> None:
    killed(command, point, "forget", "person/1")
    answer = json.loads(command("lineage", "report", "--format", "json").out)
    assert [item["item"] for item in answer["items"]] == ["person/2", "raw"]
    assert answer["erased"] == 1
    assert not (command.warehouse / "erasure.json").exists()
    assert leftovers([command.warehouse], [], ["person/1"]) == set()


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
def test_the_same_command_says_what_it_has_completed(command: Command, point: str) -> None:
    killed(command, point, "forget", "person/1")
    done = command("forget", "person/1", "--format", "json")
    said = json.loads(done.out)
    assert (said["names"], said["items"], said["triples"]) == (1, 1, 2)
    assert "Completed an erasure that was interrupted (items: 1, triples: 2)" in done.err
    assert leftovers([command.warehouse], [], ["person/1"]) == set()
    assert "Nothing was erased" in command("forget", "person/1", status=3).message


@pytest.mark.long
def test_other_names_are_still_missing(command: Command) -> None:
    killed(command, POINTS[0], "forget", "person/1")
    done = command("forget", "person/1", "stranger", status=3)
    assert "for example 'stranger'" in done.err
    assert "Completed an erasure that was interrupted" in done.err


@pytest.mark.long
def test_another_erasure_counts_only_its_own_items(command: Command) -> None:
    killed(command, POINTS[0], "forget", "person/1")
    said = json.loads(command("forget", "person/2", "--format", "json").out)
    assert (said["names"], said["items"], said["triples"]) == (1, 1, 2)
    assert leftovers([command.warehouse], [], ["person/1", "person/2"]) == set()

"""Commands that are killed or suspended, or that find the disk full, do no damage.

These tests use a few of the fault points. ``test_long.py`` tries every one.
"""

import re
from pathlib import Path

import pytest
from fire.rounds import ELSEWHERE, points

from helpers.cuts import at_point, victims
from helpers.fire import Fire
from provhouse.care import compact
from provhouse.ingest.job import Step
from provhouse.ingest.steps import order
from provhouse.model import fault_points as faults

ROOT = Path(__file__).parent.parent.parent


def test_every_fault_point_is_listed_once_and_reached_somewhere() -> None:
    code = "\n".join(
        file.read_text()
        for folder in ("care", "commit", "cypher", "ingest", "store", "workflows")
        for file in (ROOT / folder).rglob("*.py")
    )
    reached = set(re.findall(r'\breach\("([^"]+)"\)', code))
    defined = (*vars(order).values(), *vars(compact).values())
    steps = {each.name for each in defined if isinstance(each, Step)}
    assert reached | steps == set(faults.POINTS)
    assert len(set(faults.POINTS)) == len(faults.POINTS) >= 25


def test_every_fault_point_has_a_round_that_kills_there() -> None:
    tried = {one.point.partition("=")[0] for one in points()}
    assert sorted([*tried, *ELSEWHERE]) == sorted(faults.POINTS)


def test_nothing_happens_at_a_point_that_is_not_armed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "_fault", faults._Fault())
    for point in faults.POINTS:
        faults.reach(point)
    faults.arm("read=full@2")
    faults.reach("read")
    faults.reach("cut")
    with pytest.raises(OSError, match="No space left"):
        faults.reach("read")
    faults.reach("read")


def test_a_killed_command_is_survived(fire: Fire) -> None:
    cut = at_point(fire.start, "log appended=stop@3", victims(fire.home)["command"])
    assert fire.round("ingest", cut) == (True, -9, False)


@pytest.mark.parametrize(
    ("command", "point", "new"),
    [
        pytest.param("modules set", "log appended=stop@1", False, marks=pytest.mark.long),
        pytest.param("ops set", "log appended=stop@1", False, marks=pytest.mark.long),
        pytest.param("ops set", "record linked=stop", True, marks=pytest.mark.long),
    ],
)
def test_a_killed_command_stores_all_descriptions_or_none(
    fire: Fire, command: str, point: str, new: bool
) -> None:
    cut = at_point(fire.start, point, victims(fire.home)["command"])
    assert fire.round(command, cut) == (True, -9, new)


@pytest.mark.long
@pytest.mark.parametrize("point", ["files merged=stop@3", "merged file removed=stop@2"])
def test_a_command_that_is_killed_while_it_merges_files_is_survived(fire: Fire, point: str) -> None:
    kind = "prune merged" if "removed" in point else "ingest merged"
    cut = at_point(fire.start, point, victims(fire.home)["command"])
    assert fire.round(kind, cut) == (True, -9, kind == "prune merged")


@pytest.mark.long
def test_a_killed_erasure_of_a_row_is_completed(fire: Fire) -> None:
    cut = at_point(fire.start, "row ids rewritten=stop", victims(fire.home)["command"])
    assert fire.round("forget a row", cut) == (True, -9, True)


@pytest.mark.long
def test_a_full_disk_is_reported_and_nothing_half_written_stays(fire: Fire) -> None:
    """A command that fails on a full disk removes its own files; the next one has no need to."""
    before = fire.generations()
    command, _ = fire.change("ingest")
    done = fire.start(*command, fault="partitions moved=full").awaits().done
    assert done.status == 5
    assert "No space left on device" in done.message
    assert fire.generations() == before
    fire.assert_whole()
    fire.ingest()


@pytest.mark.long
def test_a_suspended_writer_does_no_harm(fire: Fire) -> None:
    """A suspended writer does not commit if its lock file is removed and another writer commits."""
    command, _ = fire.change("ingest")
    first = fire.start(*command, fault="record unwritten=stop").awaits()
    assert first.stopped
    message = fire.run(*command, status=6).message
    assert f"Process {first.pid} has been writing since 20" in message
    (fire.warehouse / "write.lock").unlink()
    fire.ingest()
    made = fire.generations()
    assert "was removed while this command was writing" in first.resume().awaits().done.message
    assert first.status == 6
    assert fire.generations() == made
    fire.ingest()
    fire.assert_whole()
    fire.assert_answers("lineage")


@pytest.mark.long
def test_a_killed_repair_does_not_mark_a_partial_graph_as_complete(fire: Fire) -> None:
    """One repair is killed before it marks any generation as complete.

    The next repair is killed just after it has marked one generation.
    """
    fire.grow()
    fire.empty_neo4j()
    for point in ("ingest repaired", "mark written"):
        repair = fire.start("repair", fault=f"{point}=stop").awaits()
        assert repair.stopped
        repair.kill()
        fire.assert_marks_are_true()
    fire.run("repair")
    fire.assert_whole()
    fire.assert_answers("lineage")

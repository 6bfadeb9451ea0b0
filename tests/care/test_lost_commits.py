"""A deleted commit record is reported, and no writer wrongly removes its generation's data."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.prune import prune
from provhouse.care.repair import repair, repair_and_check
from provhouse.care.rollback import rollback
from provhouse.cli.app import run
from provhouse.model.errors import Damaged
from provhouse.model.progress import Silent

Houses = Callable[..., House]
NIGHTS = [[Triple(f"a{n}", f"b{n}", "f"), Triple(f"b{n}", "all", "g")] for n in range(4)]


@pytest.fixture(scope="module")
def three(houses: Houses) -> House:
    """A warehouse with three generations."""
    house = houses()
    for night in NIGHTS[:3]:
        house.ingest(night)
    return house


@pytest.fixture
def house(three: House, tmp_path: Path) -> House:
    """A copy of ``three``, with the original's Neo4j."""
    shutil.copytree(three.settings.warehouse, tmp_path / "warehouse")
    return House(replace(three.settings, warehouse=tmp_path / "warehouse"), three.session)


def record(house: House, number: int) -> Path:
    return house.layout.commits / f"{number}.json"


def named(house: House) -> list[str]:
    return [damage.where for damage in check(house.settings, Silent()).damages]


WRITERS: dict[str, Callable[[House], object]] = {
    "ingest": lambda house: house.ingest(NIGHTS[3]),
    "compact": lambda house: compact(house.settings, Silent()),
    "rollback": lambda house: rollback(house.settings, Silent()),
    "prune": lambda house: prune(house.settings, Silent(), keep=1),
    "forget": lambda house: forget(["a1"], house.settings, Silent()),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "writer", [pytest.param(w, marks=[pytest.mark.long] * (w != "ingest")) for w in WRITERS]
)
def test_no_writer_removes_a_generation_whose_record_was_deleted(house: House, writer: str) -> None:
    assert named(house) == []
    kept = record(house, 3).read_bytes()
    record(house, 3).unlink()
    assert named(house) == ["commit 3"]
    for _ in range(2):  # a refused writer adds no log line that would let the next writer go on
        with pytest.raises(Damaged, match="record of generation 3 is missing"):
            WRITERS[writer](house)
    record(house, 3).write_bytes(kept)
    house.check_deep()
    with house.asker() as asker:
        expected = Oracle.of([triple for night in NIGHTS[:3] for triple in night])
        assert content(asker.ask("all", "upstream")) == expected.ask("all", "upstream")
    WRITERS[writer](house)


@pytest.mark.long
@pytest.mark.parametrize("number", [1, 2])
def test_an_earlier_record_that_was_deleted_is_named(house: House, number: int) -> None:
    record(house, number).unlink()
    assert named(house) == [f"commit {number}"]
    house.ingest(NIGHTS[3])
    assert named(house) == [f"commit {number}"]


@pytest.mark.long
def test_repair_says_what_is_still_damaged(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = house.settings
    options = ["--warehouse", str(settings.warehouse), "--set", f"neo4j_home={settings.graph_home}"]
    record(house, 3).unlink()
    assert run([*options, "check", "--format", "csv"]) == 7
    assert "record of generation 3 is missing" in capsys.readouterr().out
    assert run([*options, "repair", "--format", "csv"]) == 7
    assert "record of generation 3 is missing" in capsys.readouterr().out
    # the loss is known from the first repair
    assert run([*options, "repair", "--format", "csv"]) == 0
    house.check_deep()
    assert house.ingest(NIGHTS[2]).new_triples == 2
    house.check_deep()


@pytest.mark.long
def test_repair_says_which_files_are_damaged(house: House) -> None:
    partition = sorted(house.layout.base(1).rglob("triples/*.parquet"))[0]
    partition.write_bytes(partition.read_bytes()[:-9])
    before = check(house.settings, Silent()).damages
    assert before
    assert repair_and_check(house.settings, Silent()).damages == before
    assert repair_and_check(house.settings, Silent()).damages == before


@pytest.mark.long
def test_pruned_and_restored_generations_are_not_lost(house: House, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    shutil.copytree(house.layout.root, backup)
    house.ingest(NIGHTS[3])
    prune(house.settings, Silent(), keep=1)
    assert named(house) == []
    for kept in backup.iterdir():  # restore into the folder whose log is newer
        if kept.name != "logs":
            here = house.layout.root / kept.name
            shutil.rmtree(here) if here.is_dir() else here.unlink(missing_ok=True)
            shutil.copytree(kept, here) if kept.is_dir() else shutil.copy2(kept, here)
    repair(house.settings, Silent())
    assert named(house) == []
    house.ingest(NIGHTS[3])

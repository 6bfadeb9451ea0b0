"""A working folder follows other machines with its Neo4j, its logs and its reports."""

from pathlib import Path

import pytest

from helpers.memory_objects import MemoryObjects
from helpers.overtaking import overtake
from provhouse.commit import graph_of_remote
from provhouse.commit.graph_of_remote import brought_up_to_date
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.store.warehouse.at_address import opened
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked
from provhouse.store.warehouse.reports import keep_report


def write(root: Path, name: str, text: str) -> None:
    with locked(Layout(root)):
        (root / "base-1").mkdir(exist_ok=True)
        (root / "base-1" / name).write_text(text)


def follow(root: Path) -> None:
    settings = Settings(warehouse=root)
    with brought_up_to_date(settings, Silent(), keep_graph=False, whole=True):
        pass


@pytest.fixture
def objects() -> MemoryObjects:
    return MemoryObjects()


def test_an_erasure_of_another_machine_clears_logs_and_reports(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_of_remote, "wipe", lambda *_: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a"))
    with opened(objects) as a:
        write(a, "one", "Ann")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
        with opened(objects) as b:
            follow(b)
            keep_report(Layout(b), "blame", {"item": "Ann"})
            (b / "logs").mkdir()
            for name in ("spark.log", "writers.jsonl"):
                (b / "logs" / name).write_text("Ann")
            write(a, "two", "Bob")
            follow(b)
            assert (b / "logs" / "spark.log").exists()
            write(a, "one", "...")
            follow(b)
            left = [
                path.name for path in b.rglob("*") if path.is_file() and "lock" not in path.name
            ]
            assert sorted(left) == ["one", "two", "writers.jsonl"]
            (b / "logs" / "spark.log").write_text("later")
            follow(b)
            assert (b / "logs" / "spark.log").exists()


def test_a_reader_that_was_overtaken_while_the_lock_is_shared_begins_again(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_of_remote, "wipe", lambda *_: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a"))
    with opened(objects) as a:
        write(a, "one", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    with opened(objects) as b:
        overtake(b, monkeypatch)
        follow(b)
        assert (b / "base-1" / "one").read_text() == "1"

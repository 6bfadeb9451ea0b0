"""Tidying deletes old data, but no data that is current or needed by kept generations.

The warehouse comes from the folder ``kept`` and has no Neo4j, since a prune needs Neo4j only if the
warehouse has one.
"""

import json
import tarfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from provhouse.care.tidy import tidy, tidy_after_ingest
from provhouse.cli.app import run
from provhouse.model import fault_points as faults
from provhouse.model.errors import NotFound
from provhouse.model.keeping import Keep, keeping
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.query.as_of import commit_as_of
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked, reading

KEPT = Path(__file__).parent / "kept" / "format-1.tar.xz"
NOW = datetime.now(UTC)
AGES = (400, 90, 40, 20, 0)
"""The ages of generations 1 to 5, in days. Generation 4 begins base 2."""


class Said(Silent):
    """A receiver that keeps sentences."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a warehouse with five generations of different ages."""
    with tarfile.open(KEPT) as archive:
        archive.extractall(tmp_path, filter="data")
    layout = Layout(tmp_path / "warehouse")
    for number, age in enumerate(AGES, 1):
        path = layout.commits / f"{number}.json"
        record = json.loads(path.read_text())
        record["time"] = (NOW - timedelta(days=age)).isoformat(timespec="seconds")
        path.write_text(json.dumps(record))
    return Settings(warehouse=layout.root)


@pytest.fixture
def layout(settings: Settings) -> Layout:
    return Layout(settings.warehouse)


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("2", [4, 5]),
        ("9", [1, 2, 3, 4, 5]),
        ("1y", [1, 2, 3, 4, 5]),  # generation 1 was current a year ago
        ("60d", [2, 3, 4, 5]),
        ("30d", [3, 4, 5]),
        ("1d", [4, 5]),
        ("0d", [4, 5]),  # the current generation, and the one that a rollback returns to
        ("30d,12m", [3, 4, 5]),
    ],
)
def test_generations_leave_by_age(
    settings: Settings, layout: Layout, keep: str, kept: list[int]
) -> None:
    wanted = replace(keeping(keep, NOW), versions_since=None)
    done = tidy(settings, Silent(), wanted)
    assert generations(layout) == kept
    assert (done.first, done.generation, done.ended) == (kept[0], 5, 0)
    assert done.pruned
    assert done.pruned.pruned == 5 - len(kept)
    assert bases(layout) == ([2] if kept == [4, 5] else [1, 2])


def test_every_kept_time_can_be_asked_about(settings: Settings, layout: Layout) -> None:
    tidy(settings, Silent(), keeping("30d", NOW))
    for days in range(31):
        asked = (NOW - timedelta(days=days)).isoformat()
        assert commit_as_of(layout, asked).generation == (3 if days > 20 else 4 if days else 5)
    with pytest.raises(NotFound):
        commit_as_of(layout, (NOW - timedelta(days=41)).isoformat())


@pytest.mark.long
def test_what_a_question_reads_stays(settings: Settings, layout: Layout) -> None:
    with reading(layout, 1):
        done = tidy(settings, Silent(), Keep(1))
        assert done.pruned
        assert done.pruned.in_use == (1,)
        assert bases(layout) == [1, 2]
    tidy(settings, Silent(), Keep(1))
    assert bases(layout) == [2]


def test_a_tidy_that_is_interrupted_is_continued(settings: Settings, layout: Layout) -> None:
    faults.arm("record dropped=full@2")
    try:
        with pytest.raises(OSError, match="No space left"):
            tidy(settings, Silent(), keeping("1d", NOW))
    finally:
        faults.arm("")
    assert generations(layout) == [3, 4, 5]
    tidy(settings, Silent(), keeping("60d", NOW))
    assert generations(layout) == [4, 5]
    assert bases(layout) == [2]


def test_nothing_is_deleted_without_an_age_or_a_number(settings: Settings, layout: Layout) -> None:
    done = tidy(settings, Silent(), Keep())
    assert (done.pruned, done.rewritten, done.ended) == (None, False, 0)
    assert generations(layout) == [1, 2, 3, 4, 5]


def test_the_command_writes_the_counts(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--warehouse", str(settings.warehouse)]
    assert run([*where, "tidy", "--keep", "30d"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["generation"], found["first"], found["pruned"]) == (5, 3, 2)
    assert (found["bases"], found["in_use"], found["ended"]) == ([], [], 0)
    assert found["rewritten"] is False
    assert run([*where, "--set", "keep=1d", "tidy", "--format", "table"]) == 0
    assert "Pruned 1 generation and freed" in capsys.readouterr().out
    assert run([*where, "prune", "--keep", "1"]) == 0  # the earlier name
    assert json.loads(capsys.readouterr().out)["pruned"] == 1


def test_the_setting_is_applied_after_an_ingest(settings: Settings, layout: Layout) -> None:
    aged = replace(settings, keep="30d")
    tidy_after_ingest(aged, Silent())
    assert generations(layout) == [3, 4, 5]
    with locked(layout):  # nothing is too old, so no lock is taken
        said = Said()
        tidy_after_ingest(aged, said)
    assert said.sentences == []
    tidy_after_ingest(replace(settings, keep=""), Silent())
    assert generations(layout) == [3, 4, 5]
    tidy_after_ingest(replace(settings, keep="2"), Silent())
    assert generations(layout) == [4, 5]


def test_an_ingest_does_not_fail_if_tidying_does(settings: Settings, layout: Layout) -> None:
    said = Said()
    with locked(layout):  # another writer
        tidy_after_ingest(replace(settings, keep="30d"), said)
    (sentence,) = said.sentences
    assert sentence.startswith("The ingest is committed, but nothing was tidied: Cannot write to")
    assert generations(layout) == [1, 2, 3, 4, 5]

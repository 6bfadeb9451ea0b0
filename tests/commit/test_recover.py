"""Recovery removes only data that a crashed writer left."""

from dataclasses import replace
from pathlib import Path

import pytest

from provhouse.commit.recover import recover
from provhouse.model.errors import Damaged
from provhouse.store.warehouse.ids import mark_finished, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A warehouse with one base, but without commit records."""
    layout = Layout(tmp_path)
    (layout.base(1) / "names").mkdir(parents=True)
    take_ids(layout, replace(read_ids(layout), generation=4, base=2))
    return layout


def test_bases_are_kept_if_their_commit_records_are_missing(layout: Layout) -> None:
    mark_finished(layout)
    with pytest.raises(Damaged, match="commit records are missing"):
        recover(layout)
    assert layout.base(1).exists()


def test_an_interrupted_first_ingest_leaves_nothing(layout: Layout) -> None:
    recover(layout)
    assert not layout.base(1).exists()


def test_files_of_other_programs_stay(tmp_path: Path) -> None:
    ours = [".ids.json.0123abcd", ".warehouse.json.deadbeef"]
    theirs = [".ids.json.swp", ".settings.json.backup", ".7.json.0123ABCD"]
    for name in (*ours, *theirs):
        (tmp_path / name).write_text("{}")
    recover(Layout(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == set(theirs)

"""What a writer puts away before it begins, and what it leaves where it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from provhouse.commit.recover import recover
from provhouse.model.errors import Damaged
from provhouse.store.warehouse.ids import mark_finished, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A warehouse of one base, whose records are gone."""
    layout = Layout(tmp_path)
    (layout.base(1) / "names").mkdir(parents=True)
    take_ids(layout, replace(read_ids(layout), generation=4, base=2))
    return layout


def test_bases_whose_records_are_gone_are_not_taken_for_leftovers(layout: Layout) -> None:
    mark_finished(layout)
    with pytest.raises(Damaged, match="commit records are missing"):
        recover(layout)
    assert layout.base(1).exists()


def test_a_first_ingest_that_was_cut_off_leaves_nothing(layout: Layout) -> None:
    recover(layout)
    assert not layout.base(1).exists()


def test_only_what_is_ours_goes(tmp_path: Path) -> None:
    ours = [".ids.json.0123abcd", ".warehouse.json.deadbeef"]
    theirs = [".ids.json.swp", ".settings.json.backup", ".7.json.0123ABCD"]
    for name in (*ours, *theirs):
        (tmp_path / name).write_text("{}")
    recover(Layout(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == set(theirs)

"""Writers that make no generation raise the format, so earlier releases refuse the warehouse."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from provhouse.store.tables.file_table import add_files
from provhouse.store.tables.kept_rows import add_ended, add_kept
from provhouse.store.warehouse.commits import (
    FORMAT,
    REGISTERED,
    Commit,
    Totals,
    raise_format,
    read_commit,
    write_commit,
)
from provhouse.store.warehouse.layout import Layout

COMMIT = Commit(1, 5, "abc", "", ((1, 2),), {"triples": 7}, Totals(3))


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path)
    add_files(layout, pa.array(["/1"]))
    write_commit(layout, COMMIT)
    return layout


@pytest.mark.parametrize(
    "store",
    [
        lambda layout: add_kept(layout, {1: np.array([4, 4, 5])}),
        lambda layout: add_ended(layout, 6, pa.array(["balance/1"]), 5),
    ],
)
def test_copied_and_deleted_rows_raise_the_format(
    layout: Layout, store: Callable[[Layout], None]
) -> None:
    """The current record changes too, since such rows may land without a new generation."""
    path = layout.commits / "5.json"
    before = json.loads(path.read_text())
    path.write_text(json.dumps({**before, "format": REGISTERED}))
    store(layout)
    assert json.loads(path.read_text()) == {**before, "format": FORMAT}
    assert read_commit(layout, 5) == COMMIT
    write_commit(layout, replace(COMMIT, generation=6))
    assert read_commit(layout, 6).format == FORMAT
    assert [file.name for file in sorted(layout.commits.iterdir())] == ["5.json", "6.json"]


def test_a_warehouse_without_a_generation_gets_the_format_with_its_first_one(
    tmp_path: Path,
) -> None:
    layout = Layout(tmp_path)
    raise_format(layout)
    assert not layout.commits.exists()
    add_kept(layout, {1: np.array([4])})
    write_commit(layout, COMMIT)
    assert read_commit(layout, 5).format == FORMAT

"""Files of small tables are merged as ingests add to them. Each version still has its own rows."""

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from provhouse.model.columns import TABLES
from provhouse.store.tables import delta_tables as delta
from provhouse.store.tables.delta_recovery import (
    has_uncommitted_rows,
    remove_merged,
    restore_tables,
)
from provhouse.store.tables.delta_tables import (
    append_rows,
    count_rows,
    read_pieces,
    read_rows,
    stored_files,
    table_files,
)
from provhouse.store.tables.merged_files import merged_from
from provhouse.store.warehouse.commits import Commit, Totals
from provhouse.store.warehouse.layout import Layout

NAME = "merges"


def rows(ingest: int, count: int = 1) -> pa.Table:
    columns = {"component": range(count), "into": [ingest] * count, "ingest": [ingest] * count}
    return pa.table({name: list(values) for name, values in columns.items()}).cast(TABLES[NAME])


def appended(folder: Path, ingests: dict[int, int]) -> dict[int, int]:
    """Append the rows of ingests; return the table version after each ingest.

    ``ingests`` gives the number of rows of each ingest.
    """
    return {n: append_rows(folder, NAME, [rows(n, count)], n) for n, count in ingests.items()}


@pytest.mark.parametrize(
    "seed", [pytest.param(one, marks=[pytest.mark.long] * (one > 0)) for one in range(3)]
)
def test_each_version_has_the_rows_of_its_ingests(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delta, "PIECE_ROWS", 40)
    random = Random(seed)
    ingests = {n: random.choice([1, 2, 60]) for n in range(5, 90) if random.random() < 0.8}
    versions = appended(tmp_path, ingests)
    for last in random.sample(sorted(ingests), 8):
        shown = [n for n in ingests if n <= last]
        version = versions[last]
        wanted = pa.concat_tables([rows(n, ingests[n]) for n in shown])
        # the rows are in the order of the ingests
        assert read_rows(tmp_path, NAME, version).equals(wanted)
        pieces = pa.concat_tables(read_pieces(tmp_path, NAME, version, ["into"]))
        assert pieces["into"].to_pylist() == wanted["into"].to_pylist()
        assert count_rows(tmp_path, NAME, version) == wanted.num_rows
        for one in {*random.sample(shown, min(5, len(shown))), 4, last + 1}:
            mine = rows(one, ingests[one]) if one in shown else rows(one, 0)
            assert read_rows(tmp_path, NAME, version, ingest=one).equals(mine)
            assert count_rows(tmp_path, NAME, version, one) == mine.num_rows
            few = [*read_pieces(tmp_path, NAME, version, ["into"], one)]
            assert sum(piece.num_rows for piece in few) == mine.num_rows


def test_the_number_of_files_grows_with_the_logarithm_of_that_of_ingests() -> None:
    files, written = list[int](), 0
    for ingest in range(1, 4097):
        first = merged_from(files, ingest)
        written += ingest - (files[first - 1] if first else 0)
        files = [*files[:first], ingest]
        assert len(files) <= 7 * 4 + 1
    assert files == [4096]
    assert written <= 5 * 4096


def test_a_table_that_few_ingests_add_to_is_not_written_again_and_again() -> None:
    files, written = list[int](), 0
    ingests = sorted(Random(1).sample(range(4096), 400))
    for ingest in ingests:
        first = merged_from(files, ingest)
        written += sum(n > (files[first - 1] if first else 0) for n in ingests if n <= ingest)
        files = [*files[:first], ingest]
    assert written <= 4 * len(ingests)
    assert len(files) < 60


def test_an_uncommitted_merge_is_taken_back(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    folder = layout.table(1, NAME)
    version = appended(folder, dict.fromkeys(range(1, 8), 1))[7]
    before = table_files(folder, NAME, version)
    commit = Commit(1, 7, "", "", (), {NAME: version}, Totals())
    merged = append_rows(folder, NAME, [rows(8)], 8)
    assert len(table_files(folder, NAME, merged)) == 1
    assert has_uncommitted_rows(layout, commit)
    restore_tables(layout, 1, [commit])
    assert stored_files(folder) == before
    assert not has_uncommitted_rows(layout, commit)
    newest = append_rows(folder, NAME, [rows(9)], 9)
    assert read_rows(folder, NAME, newest)["into"].to_pylist() == [*range(1, 8), 9]


def test_only_files_that_no_version_left_has_are_removed(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    folder = layout.table(1, NAME)
    versions = appended(folder, dict.fromkeys(range(1, 21), 1))
    files = len(stored_files(folder))
    oldest = Commit(1, 9, "", "", (), {NAME: versions[9]}, Totals())
    assert remove_merged(layout, oldest) > 0
    assert len(stored_files(folder)) == files - 7
    for ingest in range(9, 21):
        found = read_rows(folder, NAME, versions[ingest])
        assert found["into"].to_pylist() == [*range(1, ingest + 1)]
    assert remove_merged(layout, oldest) == 0

"""The full-size reconstruction of the paper's trace has the figures that the paper states."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.traces.paper_report import Figure, PaperFigures
from benchmarks.traces.paper_trace import paper
from benchmarks.traces.trace_files import Trace
from benchmarks.traces.workflow import LEVELS, ROUTES, TABLES, routes, splits, splits_file
from provhouse.ingest.splits import check_splits, read_splits

pytestmark = pytest.mark.long  # the trace has 5 million items
READ = 0.05
"""The relative error that is allowed for the number of triples that an example query reads.

The number depends on the seed of the trace.
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return paper(5)


@pytest.fixture(scope="module")
def figures(trace: Trace) -> list[Figure]:
    return PaperFigures(trace).figures()


def test_all_figures_equal_those_of_the_paper(figures: list[Figure]) -> None:
    """Rounded figures equal the paper's, except the triples that two example queries read."""
    assert len(figures) == 70
    differing = [figure for figure in figures if not figure.same]
    assert {figure.name for figure in differing} <= {
        "LC-SL worked query: triples read",
        "LC-LL worked query: triples read",
    }
    for figure in differing:
        assert abs(figure.ours - figure.paper) < READ * figure.paper, figure.line()


def test_a_different_figure_is_reported() -> None:
    assert Figure("items", 4_549_999, 4_600_000, 100_000).line().endswith("differs by -50,001")
    assert Figure("items", 4_550_001, 4_600_000, 100_000).same
    assert not Figure("documents", 531, 532).same


def test_triples_lead_to_deeper_levels_of_the_workflow(trace: Trace) -> None:
    level = np.full(len(TABLES), -1)
    for way in routes():
        level[way] = np.arange(LEVELS)
    assert (level[trace.table[trace.src]] < level[trace.table[trace.dst]]).all()


def test_triples_are_distinct_and_no_item_is_alone(trace: Trace) -> None:
    pairs = trace.src.astype(np.int64) * len(trace.table) + trace.dst
    assert (np.diff(np.sort(pairs)) > 0).all()
    assert np.bincount(np.concatenate([trace.src, trace.dst])).min() > 0


def test_the_seed_decides(trace: Trace) -> None:
    again, other = paper(5), paper(6)
    assert np.array_equal(again.src, trace.src)
    assert np.array_equal(again.dst, trace.dst)
    assert again.documents == trace.documents
    assert not np.array_equal(other.src, trace.src)


def test_the_splits_file_names_every_table_once(tmp_path: Path) -> None:
    path = tmp_path / "splits.toml"
    path.write_text(splits_file(), encoding="utf-8")
    check_splits(path, read_splits(path), TABLES)
    assert [len(split) for split in read_splits(path)] == [3, 5, 2]


def test_each_split_is_connected_in_the_workflow() -> None:
    derived = {pair for way in ROUTES for pair in pairwise(way.split())}
    for name, tables in splits().items():
        reached, last = set(tables[:1]), set(tables[:1])
        while last:
            near = {to for pair in derived for of, to in (pair, pair[::-1]) if of in last}
            last = (near & set(tables)) - reached
            reached |= last
        assert reached == set(tables), name

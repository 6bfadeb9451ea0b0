"""An ingest gives the same sets whether it cuts component groups from files or all in memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.graphs import graph
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps import cut_components as cut
from provhouse.ingest.steps.cut_components import CutItems, CutResult
from provhouse.ingest.steps.cut_groups import GroupedItems, GroupSource
from provhouse.model.arrays import I32, I64
from provhouse.model.errors import Unavailable
from provhouse.runtime.storage import load_array, read_stream, save_array
from provhouse.sets import component_groups
from provhouse.sets.component_groups import Weights
from provhouse.sets.components import weak_components
from provhouse.store.tables.snapshot import Snapshot

SEEDS = st.integers(0, 10_000_000)


@dataclass
class StoredBefore:
    """The sets of stored items. Each set has three items, and each component has two sets."""

    items: int

    def set_rows(self, items: I64) -> I64:
        return items // 3

    @property
    def set_components(self) -> I64:
        return np.arange(self.items // 3 + 1) // 2 * 6

    @property
    def set_items(self) -> I64:
        return np.full(self.items // 3 + 1, 3)


@dataclass
class Trace:
    """A trace as arrays: its edges in two arrays, and the stored number of each item, or -1."""

    src: I32
    dst: I32
    table: I32
    stored: I64

    @classmethod
    def of(cls, seeds: list[int], stored: int = 0) -> "Trace":
        """Return the graphs of several seeds as one trace. Some random items are stored."""
        triples = [
            (f"{n}/{t.src}", f"{n}/{t.dst}", t.src_table, t.dst_table)
            for n, seed in enumerate(seeds)
            for t in graph(seed).triples
        ]
        rng = np.random.default_rng(seeds)
        names = rng.permutation(sorted({end for each in triples for end in each[:2]}))
        code = {name: number for number, name in enumerate(names.tolist())}
        table = {src: of for src, _, of, _ in triples} | {dst: of for _, dst, _, of in triples}
        tables = sorted(set(table.values()))
        numbers = np.full(len(names), -1, np.int64)
        known = rng.permutation(len(names))[:stored]
        numbers[known] = rng.permutation(10 * stored)[: len(known)]
        return cls(
            np.array([code[src] for src, *_ in triples], np.int32),
            np.array([code[dst] for _, dst, *_ in triples], np.int32),
            np.array([tables.index(table[name]) for name in names.tolist()], np.int32),
            numbers,
        )

    def stage(self, folder: Path) -> Staging:
        staging = Staging(folder).create()
        half = len(self.src) // 2
        for number, part in enumerate((slice(0, half), slice(half, None))):
            save_array(staging.edges(number), np.stack([self.src[part], self.dst[part]]))
        save_array(staging.tables, self.table)
        save_array(staging.stored, self.stored)
        return staging

    def cut(self, folder: Path, memory: int, **changes: Any) -> tuple[CutResult, Staging]:
        """Cut the trace with at most ``memory`` bytes of memory. The value 0 means no limit."""
        staging, count = self.stage(folder), int(self.stored.max(initial=-1)) + 1
        given: dict[str, Any] = {
            "theta": 8,
            "pack": 4,
            "plain_nodes": 2,
            "splits": (),
            "ranges": 3,
            **changes,
        }
        task = CutItems(
            staging=staging,
            snapshot=cast(Snapshot, StoredBefore(count)) if count else None,
            memory_mb=memory,
            rows=len(self.src),
            tables=["", *(f"t{number}" for number in range(1, int(self.table.max()) + 1))],
            first_item=count + 100,
            first_set=50,
            **given,
        )
        return task.run(), staging


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat the memory setting as bytes, and limit the list of large components to few entries."""
    monkeypatch.setattr(cut, "MEGABYTE", 1)
    monkeypatch.setattr(component_groups, "LISTED", 6)


def largest(trace: Trace) -> int:
    """Return the memory, in bytes, of the largest component, including stored components."""
    known = np.flatnonzero(trace.stored >= 0)
    component = StoredBefore(10_000).set_components[trace.stored[known] // 3]
    known = known[np.argsort(component, kind="stable")].astype(np.int32)
    alike = np.diff(np.sort(component)) == 0
    edges = (trace.src, trace.dst), (known[:-1][alike], known[1:][alike])
    root = weak_components(len(trace.stored), edges)
    size, within = (np.bincount(of, minlength=len(root)) for of in (root, root[trace.src]))
    return int((cut.ITEM_BYTES * size + cut.EDGE_BYTES * within).max())


def same(one: Staging, other: Staging) -> bool:
    """Return whether two cuts have staged equal numbers, sets and merges."""
    numbers = np.array_equal(load_array(one.numbers), load_array(other.numbers))
    tables = [
        read_stream(getattr(one, name)).equals(read_stream(getattr(other, name)))
        for name in ("sets", "merges")
    ]
    return numbers and all(tables)


@pytest.mark.long
@settings(max_examples=20)
@given(
    seeds=st.lists(SEEDS, min_size=2, max_size=8),
    theta=st.sampled_from([3, 8, 20]),
    pack=st.sampled_from([0, 2, 4, 10]),
    room=st.sampled_from([1.0, 2.0, 3.5]),
)
def test_groups_are_cut_as_all_items_together(
    tmp_path_factory: pytest.TempPathFactory,
    seeds: list[int],
    theta: int,
    pack: int,
    room: float,
) -> None:
    trace, folder = Trace.of(seeds), tmp_path_factory.mktemp("cut")
    changes = {"theta": theta, "pack": pack}
    whole = trace.cut(folder / "whole", 0, **changes)
    grouped = trace.cut(folder / "grouped", int(room * largest(trace)), **changes)
    assert grouped[0] == whole[0]
    assert same(grouped[1], whole[1])


@pytest.mark.long
@settings(max_examples=20)
@given(
    seeds=st.lists(SEEDS, min_size=2, max_size=8),
    stored=st.integers(1, 30),
    room=st.sampled_from([1.0, 2.0]),
)
def test_groups_are_added_to_what_is_stored_as_all_items_together(
    tmp_path_factory: pytest.TempPathFactory, seeds: list[int], stored: int, room: float
) -> None:
    trace, folder = Trace.of(seeds, stored), tmp_path_factory.mktemp("cut")
    whole = trace.cut(folder / "whole", 0)
    grouped = trace.cut(folder / "grouped", int(room * largest(trace)))
    assert grouped[0] == whole[0]
    assert same(grouped[1], whole[1])


@pytest.mark.long
def test_a_group_is_one_component_or_below_the_limit(tmp_path: Path) -> None:
    trace = Trace.of([*range(12)])
    weights = Weights(cut.ITEM_BYTES, cut.EDGE_BYTES, largest(trace) // 2)
    items = GroupedItems(GroupSource(trace.stage(tmp_path), None), weights)
    root = weak_components(len(trace.stored), [(trace.src, trace.dst)])
    sizes: list[int] = []
    seen: set[int] = set()
    assert len(items) > 3
    for number, weight in enumerate(items.groups.weights.tolist()):
        part = items.part(number)
        roots = set(root[part.new_places].tolist())
        edges = sum(len(src) for src, _ in part.graph._edges())
        assert weight == weights.of(len(part.new_places), edges)
        assert weight <= weights.limit or len(roots) == 1
        assert not roots & seen
        seen |= roots
        sizes += sorted((int((root == each).sum()) for each in roots), reverse=True)
    assert len(seen) == len(np.unique(root))
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.long
def test_a_component_beyond_the_setting_is_an_error_that_names_it(tmp_path: Path) -> None:
    trace = Trace.of([*range(12)])
    with pytest.raises(Unavailable) as error:
        trace.cut(tmp_path, largest(trace) - 1)
    assert "cut_mb" in str(error.value)

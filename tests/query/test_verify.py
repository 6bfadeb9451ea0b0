"""Damaged tables lead to an error that names the damage, and never to an incomplete answer.

``test_csprov.py`` tests this for a damaged Neo4j.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import Damaged
from provhouse.model.question import Direction
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.path import path
from provhouse.store.tables.partitions import partition_path, write_partition
from provhouse.store.tables.snapshot import Snapshot

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
Choose = Callable[[Snapshot, ItemNumbers, ItemNumbers], tuple[int, int]]
TRIPLES: list[Triple] = [*graph(11 * 8).triples, *graph(11 * 7 + 8).triples]


class Swap(NamedTuple):
    """A partition that lacks a row of set ``less`` and has a row of set ``more`` twice."""

    path: Path
    rows: pa.Table
    less: int
    more: int
    items: list[str]
    """The names of two items: the dst of the missing row, and the dst of the repeated row."""


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with two components in many sets, all in one partition."""
    house = houses(theta=3, pack=0)
    house.ingest(TRIPLES)
    return house


def apart(snapshot: Snapshot, src: ItemNumbers, dst: ItemNumbers) -> tuple[int, int]:
    """Return the first and the last row. These rows are in different components."""
    sets = snapshot.set_rows(ItemNumbers(dst[[0, -1]]))
    assert len(set(snapshot.set_components[sets].tolist())) == 2
    return 0, len(dst) - 1


def together(snapshot: Snapshot, src: ItemNumbers, dst: ItemNumbers) -> tuple[int, int]:
    """Return a row that connects two sets, and a row of the set that contains the first row's src.

    A question about the dst of the first row therefore reads both sets.
    """
    child, parent = snapshot.set_rows(dst), snapshot.set_rows(src)
    across = np.flatnonzero((child != parent) & np.isin(parent, child))[0]
    return int(across), int(np.flatnonzero(child == parent[across])[0])


def swapped(snapshot: Snapshot, chosen: Choose) -> Swap:
    """Return a partition in which one of the chosen rows is removed and the other is repeated."""
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    (partition,) = snapshot.partitions.tolist()
    path = partition_path(folder, partition)
    with pq.ParquetFile(path) as file:
        rows = file.read()
    src, dst = (ItemNumbers(np.asarray(rows[end])) for end in ("src", "dst"))
    lost, twice = chosen(snapshot, src, dst)
    kept = np.sort(np.append(np.delete(np.arange(len(dst)), lost), twice))
    ends = ItemNumbers(dst[[lost, twice]])
    less, more = snapshot.ids_of(snapshot.set_rows(ends)).tolist()
    items = snapshot.names.names(ends).to_pylist()
    return Swap(path, rows.take(pa.array(kept)), less, more, items)


@contextmanager
def replaced(path: Path, rows: pa.Table) -> Iterator[None]:
    """Replace the rows of a partition during the ``with`` block."""
    before = path.read_bytes()
    write_partition(rows, path)
    yield
    path.write_bytes(before)


def refused(asker: Asker, item: str, direction: Direction) -> str | None:
    """Return the first sentence of the error, or None if the answer is correct."""
    try:
        found = content(asker.ask(item, direction, "csprov"))
    except Damaged as error:
        return error.wanted
    assert found == Oracle.of(TRIPLES).ask(item, direction)
    return None


@pytest.mark.long
def test_a_lost_row_is_damage_even_if_the_total_is_right(house: House) -> None:
    """If one set lacks a row and another has a row twice, only questions that read them fail."""
    items = sorted(Oracle.of(TRIPLES).graph)
    with house.asker() as asker:
        swap = swapped(asker.snapshot, together)
        with replaced(swap.path, swap.rows):
            said = refused(asker, swap.items[0], "upstream")
            assert said is not None
            refusals = [refused(asker, item, d) for item in items for d in DIRECTIONS]
    assert said in refusals
    assert None in refusals
    for text in filter(None, refusals):
        assert text.startswith((f"Set {swap.less} ", f"Set {swap.more} "))


@pytest.mark.long
def test_ccprov_checks_the_count_of_the_component(house: House) -> None:
    with house.asker() as asker:
        swap = swapped(asker.snapshot, apart)
        with replaced(swap.path, swap.rows):
            for item in swap.items:
                with pytest.raises(Damaged, match="The component of set"):
                    asker.ask(item, "upstream", "ccprov")


@pytest.mark.long
def test_rq_checks_the_count_of_all_triples(house: House) -> None:
    """A failed question must not leave its cache to the next question."""
    with house.asker() as asker:
        swap = swapped(asker.snapshot, apart)
        with replaced(swap.path, swap.rows.slice(1)):
            for _ in range(2):
                with pytest.raises(Damaged, match=f"should have {len(set(TRIPLES)):,} triples"):
                    asker.ask(TRIPLES[0].dst, "upstream", "rq")


def test_a_partition_out_of_order_is_damage(house: House) -> None:
    """If rows are out of order, a search for the rows of one set finds rows of other sets."""
    with house.asker() as asker:
        swap = swapped(asker.snapshot, apart)
        with pq.ParquetFile(swap.path) as file:
            rows = file.read()
        order = np.random.default_rng(1).permutation(rows.num_rows)
        with replaced(swap.path, rows.take(pa.array(order))):
            refusals = [refused(asker, triple.dst, "upstream") for triple in TRIPLES]
    assert refusals.count(None) < len(refusals) / 2


def test_a_lost_set_dependency_is_damage_for_a_path(house: House) -> None:
    """Without a check, the question would silently miss a path that needs the lost dependency."""
    with house.asker() as asker:
        snapshot = asker.snapshot
        folder = snapshot.layout.table(snapshot.commit.base, "set_dependencies")
        (file,) = folder.glob("*.parquet")
        less = pq.read_table(file, partitioning=None).slice(1)
        with replaced(file, less), pytest.raises(Damaged, match="dependencies") as error:
            path(asker, TRIPLES[0].src, TRIPLES[0].dst)
    assert error.value.found == f"The table set_dependencies has {less.num_rows:,}"

"""An ingest accepts, refuses and reports as documented. All tests check the invariants."""

import csv
import gzip
import shutil
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.collision import colliding
from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.sampled import one_in
from helpers.warehouse import House, content
from provhouse.cypher import neo4j_process as process
from provhouse.cypher.config import free_ports
from provhouse.cypher.server import process_id
from provhouse.cypher.server_record import ServerRecord
from provhouse.ingest import ingest as begin
from provhouse.ingest.ingest import ingest
from provhouse.ingest.steps import cut_components as cut
from provhouse.ingest.steps import read
from provhouse.ingest.steps.cut_groups import GroupedItems, GroupPart
from provhouse.model.arrays import ItemNumbers
from provhouse.model.errors import BadInput, Damaged
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current, generations

Houses = Callable[..., House]
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("csprov", "rq", "ccprov")


def snapshot(house: House) -> Snapshot:
    commit = current(house.layout)
    assert commit
    return Snapshot(house.layout, commit)


def table_of(house: House, item: str) -> str:
    names = snapshot(house).names
    return str(names.tables(names.locate(pa.array([item])))[0].as_py())


def file(
    folder: Path, name: str, rows: Iterable[Iterable[object]], header: str = "src,dst"
) -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header.split(","))
        writer.writerows(rows)
    return path


@pytest.mark.long
def test_two_names_with_one_hash_are_kept_apart(houses: Houses) -> None:
    one, other = colliding()
    triples = [Triple(one, "x", "1"), Triple("y", other, "2"), Triple("x", "z", "3")]
    house = houses(theta=3)
    assert house.ingest(triples).new_items == 5
    with house.asker() as asker:
        for item in (one, other):
            for direction in DIRECTIONS:
                expected = Oracle.of(triples).ask(item, direction)
                assert content(asker.ask(item, direction)) == expected


@pytest.mark.long
def test_a_name_with_the_hash_of_a_stored_name_is_new(houses: Houses) -> None:
    one, other = colliding()
    house = houses()
    house.ingest([Triple(one, "x")])
    assert house.ingest([Triple(other, "x")]).new_items == 1
    with house.asker() as asker:
        assert content(asker.ask("x", "upstream")).items == {(one, 1), (other, 1)}
        assert content(asker.ask(other, "downstream")).items == {("x", 1)}


@pytest.mark.long
def test_names_may_be_any_text(houses: Houses) -> None:
    names = ["a b", ' "quoted" ', "two\nlines", "komma, das", "ünï😀", "\u202eright", "\\N", "0",
             "null", "'", "\t", "x" * 5_000, "\r\n", "{}", "A", "a"]  # fmt: skip
    triples = [Triple(src, dst, dst) for src, dst in pairwise(names)]
    house = houses(theta=4)
    house.ingest(triples)
    with house.asker() as asker:
        for item in names:
            expected = Oracle.of(triples).ask(item, "downstream")
            assert content(asker.ask(item, "downstream")) == expected


@pytest.mark.long
def test_a_cut_in_groups_of_components_gives_the_same_answers(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    triples = [triple for seed in range(40, 48) for triple in graph(seed).triples]
    monkeypatch.setattr(cut, "MEGABYTE", 1)  # the setting then counts bytes
    cuts: list[int] = []

    def seen(items: GroupedItems, number: int) -> GroupPart:
        cuts.append(number)
        return part(items, number)

    part = GroupedItems.part
    monkeypatch.setattr(GroupedItems, "part", seen)
    house = houses(theta=8, cut_mb=16_000)
    house.ingest(triples[::2])
    assert max(cuts) > 0
    cuts.clear()
    house.ingest(triples[1::2])
    assert max(cuts) > 0
    oracle = Oracle.of(triples)
    with house.asker() as asker:
        for item in sorted({triple.src for triple in triples})[::40]:
            for direction in DIRECTIONS:
                assert content(asker.ask(item, direction)) == oracle.ask(item, direction)


@pytest.mark.long
def test_a_cut_in_groups_works_in_spark(houses: Houses, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of 1 MB, 15,000 items and their triples need at least two groups."""
    monkeypatch.setattr(begin, "SMALL_BYTES", 0)
    triples = [Triple(f"a/{number}", f"b/{number}", "o") for number in range(5_000)]
    house, whole = houses(cut_mb=1), houses()
    assert house.ingest(triples).components == whole.ingest(triples).components == 5_000
    # this ingest is cut as a whole, beside stored components
    house.ingest([Triple("b/1", "c", "o")])


def test_rejects_are_set_aside(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    rows = [("a", "b", "", "1"), ("", "b", "o", "2"), ("c", "", "", ""), ("", "", "x", "y")]
    first = file(tmp_path, "one.csv", rows, "src,dst,op,v")
    second = file(tmp_path, "two.csv", [("", "q")])
    summary = house.ingest_files(first, second)
    assert (summary.new_triples, summary.rejected, summary.duplicates) == (1, 4, 0)
    rejects = snapshot(house).rows("rejects").to_pylist()
    assert [(Path(r["file"]).name, r["row"], r["reason"]) for r in rejects] == [
        ("one.csv", 2, "no src"),
        ("one.csv", 3, "no dst"),
        ("one.csv", 4, "no src and no dst"),
        ("two.csv", 1, "no src"),
    ]
    assert summary.rejects is not None


@pytest.mark.long
def test_an_ingest_of_rejects_only_makes_a_generation(houses: Houses, tmp_path: Path) -> None:
    """Rejects alone make a new generation, both in a warehouse's first ingest and later."""
    house = houses()
    path = file(tmp_path, "r.csv", [("", "b"), ("a", "")])
    for generation in (1, 2):
        summary = house.ingest_files(path)
        assert summary.committed
        assert (summary.generation, summary.items, summary.rejected) == (generation, 0, 2)
    assert house.ingest([Triple("a", "b")]).triples == 1
    assert house.ingest_files(path).triples == 1
    with house.asker() as asker:
        assert content(asker.ask("b", "upstream", "rq")).items == {("a", 1)}


@pytest.mark.long
def test_nothing_new_makes_no_generation(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    empty = file(tmp_path, "empty.csv", [])
    triples = [Triple("a", "b", "x"), Triple("b", "c", "x")]
    assert not house_committed(house, empty)
    assert generations(house.layout) == []
    house.ingest(triples)
    again = house.ingest([*triples, triples[0]])
    assert (again.committed, again.generation, again.duplicates) == (False, 1, 3)
    assert (again.triples, again.new_items) == (2, 0)
    assert not house_committed(house, empty)
    assert generations(house.layout) == [1]
    assert house.ingest([Triple("c", "d")]).generation == 2


def house_committed(house: House, *files: Path) -> bool:
    return ingest(files, house.settings, progress=Silent()).committed


@pytest.mark.long
@pytest.mark.parametrize("method", one_in(6, METHODS))
def test_attributes_make_triples_distinct(houses: Houses, tmp_path: Path, method: Method) -> None:
    house = houses()
    rows = [("a", "b", "o", "1"), ("a", "b", "o", "1"), ("a", "b", "o", "2"), ("a", "b", "p", "1")]
    summary = house.ingest_files(file(tmp_path, "t.csv", rows, "src,dst,op,v"))
    assert (summary.new_triples, summary.duplicates) == (3, 1)
    path = tmp_path / "t.parquet"
    numbers = {"v": [1, 2, 3, None], "w": pa.array([None] * 4, pa.string())}
    pq.write_table(pa.table({"src": ["a"] * 4, "dst": ["b"] * 4, "op": ["o"] * 4, **numbers}), path)
    summary = house.ingest_files(path)
    # the triples with v = 3 and without v are new
    assert (summary.new_triples, summary.duplicates) == (2, 2)
    with house.asker() as asker:
        found = asker.ask("b", "upstream", method).triples.to_pylist()
    assert [(row["op"], row["attributes"]) for row in found] == [
        ("o", '{"v":"1"}'), ("o", '{"v":"2"}'), ("o", '{"v":"3"}'), ("o", "{}"),
        ("p", '{"v":"1"}'),
    ]  # fmt: skip


@pytest.mark.long
def test_the_table_named_most_often_is_kept(houses: Houses) -> None:
    house = houses()
    summary = house.ingest(
        [
            Triple("a", "b", "1", "T", "U"),
            Triple("a", "c", "2", "T", ""),
            Triple("a", "d", "3", "S", ""),
            Triple("b", "c", "4", "R", "Z"),  # b is as often in R as in U, and R sorts first
            Triple("c", "d", "5", "", ""),  # this triple has no tables
        ],
        names="global",
    )
    assert summary.two_tables == 2
    assert [table_of(house, item) for item in "abcd"] == ["T", "R", "Z", ""]
    summary = house.ingest([Triple("a", "e", "6", "S", "S"), Triple("a", "f", "7", "T", "S")])
    assert summary.two_tables == 1
    assert [table_of(house, item) for item in "ae"] == ["T", "S"]


def test_strict_refuses_rejects_and_items_with_two_tables(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    rejected = file(tmp_path, "r.csv", [("a", ""), ("a", "b")])
    two = file(tmp_path, "t.csv", [("a", "b", "T"), ("a", "c", "U")], "src,dst,src_table")
    for path in (rejected, two):
        with pytest.raises(BadInput, match="--strict"):
            house.ingest_files(path, strict=True, names="global")
    assert generations(house.layout) == []
    assert not list(house.layout.root.glob("base-*"))
    assert not house.layout.staging.exists()


def test_a_broken_file_leaves_the_warehouse_unchanged(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    house.ingest([Triple("a", "b")])
    before = sorted(house.layout.root.glob("base-1/**/*"))
    good = file(tmp_path, "good.csv", [("x", "y")])
    torn = tmp_path / "torn.csv.gz"
    torn.write_bytes(gzip.compress(b"src,dst\na,b\n" * 100)[:-20])
    with pytest.raises(BadInput, match=str(torn)):
        house.ingest_files(good, torn)
    assert generations(house.layout) == [1]
    assert sorted(house.layout.root.glob("base-1/**/*")) == before
    assert not house.layout.staging.exists()
    assert house.ingest([Triple("b", "c")]).generation == 2


@pytest.mark.long
def test_splits_must_name_the_tables(houses: Houses, tmp_path: Path) -> None:
    house = houses(theta=3, pack=0)
    splits = tmp_path / "s.toml"
    triples = [Triple(f"{n}", f"{n + 1}", "", f"t{n // 2}", f"t{(n + 1) // 2}") for n in range(5)]
    for text, reported in (
        ('a = ["t0", "t1"]', "no split has t2"),
        ('a = ["t0", "t1", "t2", "t3"]', "no item is in t3"),
        ('a = ["t0", "t1", "t2"]\nb = ["t1"]', "names t1 twice"),
    ):
        splits.write_text(text, encoding="utf-8")
        with pytest.raises(BadInput) as caught:
            house.ingest(triples, splits=splits)
        assert reported in str(caught.value).lower()
    assert generations(house.layout) == []
    splits.write_text('a = [["t0"], ["t1"]]\nb = ["t2"]', encoding="utf-8")
    assert house.ingest(triples, splits=splits).sets == 3


@pytest.mark.long
def test_replace_begins_a_base_and_keeps_the_old_base(houses: Houses) -> None:
    house = houses(theta=3)
    old = [Triple("a", "b"), Triple("b", "c"), Triple("c", "d")]
    house.ingest(old)
    first = snapshot(house)
    new = [Triple("x", "y"), Triple("a", "x")]
    summary = house.ingest(new, replace=True)
    assert (summary.generation, summary.triples, summary.items) == (2, 2, 3)
    second = snapshot(house)
    assert (first.commit.base, second.commit.base) == (1, 2)
    assert second.set_ids.min() > first.set_ids.max()
    assert second.set_firsts.min() >= first.set_firsts.max() + first.set_items[-1]
    assert first.rows("placements")["triples"].to_pylist() == [1, 2]  # the old base stays
    assert first.names.names(ItemNumbers(np.array([1]))).to_pylist()[0] in "abcd"
    with house.asker() as asker:
        assert content(asker.ask("y", "upstream")).items == {("x", 1), ("a", 2)}
        assert content(asker.ask("a", "downstream")).items == {("x", 1), ("y", 2)}
    assert house.ingest([Triple("y", "z")]).triples == 3
    house.check(by_spark=True)


@pytest.mark.long
@pytest.mark.parametrize("method", one_in(6, METHODS))
def test_appends_merge_components(houses: Houses, method: Method) -> None:
    house = houses(theta=4, pack=2)
    pairs = ["ab", "cd", "ef", "gh"]
    assert house.ingest([Triple(*pair) for pair in pairs]).components == 4
    assert house.ingest([Triple("b", "c"), Triple("x", "y")]).components == 4
    assert house.ingest([Triple("f", "n"), Triple("n", "h"), Triple("y", "y")]).components == 3
    assert house.ingest([Triple("d", "e"), Triple("h", "x")]).components == 1
    oracle = Oracle.of([Triple(*e) for e in [*pairs, "bc", "xy", "fn", "nh", "yy", "de", "hx"]])
    with house.asker() as asker:
        for direction in DIRECTIONS:
            for item in ("y", "a"):
                expected = oracle.ask(item, direction)
                assert content(asker.ask(item, direction, method)) == expected


@pytest.mark.long
def test_an_input_may_have_many_buckets_ranges_and_files(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are lowered, so that a small input is divided like a large one."""
    monkeypatch.setattr(read, "BUCKET_BYTES", 3_000)
    monkeypatch.setattr(cut, "RANGE_TRIPLES", 500)
    random = np.random.default_rng(4)
    pairs = random.integers(0, 2_000, (5_000, 2)).tolist()
    triples = [Triple(f"item {min(p)}", f"item {max(p)}", "o", f"t{min(p) // 700}") for p in pairs]
    house = houses(theta=50, partition_triples=100)
    paths = [house.write(triples[n::3], f"{n}.csv") for n in range(3)]
    summary = house.ingest_files(*paths, paths[0])
    assert summary.new_triples == len(set(triples))
    assert summary.duplicates == len(triples) - len(set(triples))
    oracle = Oracle.of(triples)
    with house.asker() as asker:
        for item in ("item 1999", "item 1000", "item 1"):
            for direction in DIRECTIONS:
                if oracle.graph.has_node(item):
                    expected = oracle.ask(item, direction)
                    assert content(asker.ask(item, direction)) == expected


@pytest.mark.long
def test_a_large_first_ingest_is_loaded_by_the_importer(
    houses: Houses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The importer loads a Neo4j that has never run. A later append finds all its data there."""
    monkeypatch.setattr(begin, "IMPORTED_BYTES", 0)
    graphs = [graph(seed) for seed in range(9_000, 9_010)]
    triples = [triple for one in graphs for triple in one.triples]
    home = tmp_path / "fresh"
    home.mkdir()
    ServerRecord(*free_ports(), keep=True).save(home)  # the server stays after the ingest
    house = houses(theta=3, pack=2, neo4j_home=home)
    try:
        house.ingest(triples[::2])
        house.ingest(triples[1::2])
        with house.asker() as asker:
            for one in graphs:
                item = one.triples[0].dst
                expected = Oracle.of(one.triples).ask(item, "upstream")
                assert content(asker.ask(item, "upstream", "csprov")) == expected
        refuse_an_emptied_neo4j(house, home)
    finally:
        process.stop(process_id(home), home)


def refuse_an_emptied_neo4j(house: House, home: Path) -> None:
    """Fail unless an append is refused because Neo4j lacks the earlier ingests."""
    process.stop(process_id(home), home)
    shutil.rmtree(home / "data")
    before = current(house.layout)
    with pytest.raises(Damaged, match="Neo4j does not have generation 2"):
        house.ingest([Triple("one", "more", "op")])
    assert current(house.layout) == before
    with house.asker() as asker, pytest.raises(Damaged, match="generation 2"):
        asker.ask(graph(9_000).triples[0].dst, "upstream", "csprov")

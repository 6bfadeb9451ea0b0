"""A view in Neo4j contains exactly the items and triples of an answer, and can be removed again."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from helpers.graphs import graph
from helpers.oracle import Triple
from helpers.warehouse import House, content
from provhouse.care.check import check
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.prune import prune
from provhouse.care.repair import repair
from provhouse.cypher.graph import Graph, shared_graph
from provhouse.cypher.view_mark import clear_mark, has_names, mark_names
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Question
from provhouse.query.exporting import browser_view as views
from provhouse.query.exporting.browser_view import Neo4jView, write_view
from provhouse.query.exporting.export import export_warehouse
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.status import status

TRIPLES = [*graph(11 * 8).triples, *(Triple(f"in:{n}", "wide", f"op {n % 2}", f"t{n % 3}", "wide")
                                     for n in range(400))]  # fmt: skip
ITEMS = sorted({end for triple in TRIPLES for end in triple[:2]})
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
NODES = "MATCH (i:Item {warehouse: $warehouse}) RETURN i.name, i.items, i.op ORDER BY i.key"
LINKS = """
MATCH (a:Item {warehouse: $warehouse})-[d:DERIVES]->(b:Item)
RETURN b.name, a.name, d.op, d.triples
"""
SETS = """
MATCH (i:Item {warehouse: $warehouse})-[:IN_SET]->(s:Set) RETURN i.name, collect(s.id), count(*)
"""


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with one component of many sets, and with an item that has 400 sources."""
    house = houses(theta=8, pack=0, partition_triples=50)
    house.ingest(TRIPLES)
    return house


@pytest.fixture(scope="module")
def opened(house: House) -> Iterator[Asker]:
    with house.asker() as asker:
        yield asker


@pytest.fixture
def asker(house: House, opened: Asker) -> Iterator[Asker]:
    """An ``Asker`` whose warehouse has no views. Views are removed at the end."""
    yield opened
    opened.graph.remove_views()
    clear_mark(house.settings.graph_home)


def rows(graph: Graph, query: str) -> list[tuple[object, ...]]:
    """Return the rows that a query finds in Neo4j."""
    return graph.read(query, {}).rows


@cache
def widest(asker: Asker) -> str:
    """Return the item whose impact is in the largest number of sets."""
    small = [item for item in ITEMS if not item.startswith("in:") and item != "wide"]
    return max(small, key=lambda item: len(asker.explain(Question(item, "downstream")).sets))


@pytest.mark.long
def test_sets_without_nodes_get_them_with_a_view(houses: Callable[..., House]) -> None:
    house = houses(plain_nodes=0)
    house.ingest([Triple("a", "b", "make", "raw", "made"), Triple("x", "y", "make", "raw", "made")])
    numbers = """
    MATCH (s:Set {warehouse: $warehouse})-[:PART_OF]->(c:Component)
    RETURN s.items, s.triples, s.tables, c.items, c.triples, c.sets
    """
    with house.asker() as asker:
        assert not rows(asker.graph, numbers)
        for _ in range(2):
            write_view(asker, Question("b", "upstream"))
            assert rows(asker.graph, numbers) == [(2, 1, "made, raw", 2, 1, 1)]
        shown = rows(asker.graph, SETS)
        assert sorted((name, count) for name, _, count in shown) == [("a", 1), ("b", 1)]
    house.ingest(
        [Triple("b", "c", "make", "made", "last"), Triple("c", "b", "make", "last", "made")]
    )
    with Asker(house.settings, Silent(), 1) as earlier, house.asker() as asker:
        before = sorted(rows(asker.graph, numbers))
        assert all(row[4] == 3 for row in before), before  # the component now has three triples
        for one in (earlier, asker):
            write_view(one, Question("b", "upstream"))
            assert sorted(rows(asker.graph, numbers)) == before
    assert not check(house.settings, Silent()).damages


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_view_is_the_answer_beside_its_sets(asker: Asker, direction: Direction) -> None:
    question = Question(widest(asker), direction, sets=True)
    answer, view = asker.answer(question), write_view(asker, question)
    sets = {row["item"]: row["set"] for row in answer.items.to_pylist()}
    sets[question.item] = answer.set_id
    nodes = rows(asker.graph, NODES)
    assert {name for name, _, _ in nodes} == set(sets)
    assert len(nodes) == view.nodes == len(sets)
    assert not view.grouped
    triples = {(row["src"], row["dst"], row["op"]) for row in answer.triples.to_pylist()}
    links = rows(asker.graph, LINKS)
    assert {link[:3] for link in links} == triples
    assert sum(int(str(link[3])) for link in links) == answer.triples.num_rows
    for name, ids, _ in rows(asker.graph, SETS):
        assert ids == [sets[str(name)]]
    assert len(asker.graph.read(view.query, {}).rows) >= view.relationships


def test_a_large_answer_is_grouped_by_table_and_op(asker: Asker) -> None:
    view = write_view(asker, Question("wide", "upstream"))
    assert (view.items, view.grouped, view.nodes, view.relationships) == (400, True, 7, 6)
    asked, *groups = rows(asker.graph, NODES)
    assert asked == ("wide", 1, "")
    assert sum(int(str(items)) for _, items, _ in groups) == 400
    assert ("67 items of t0 by op 0", 67, "op 0") in groups


def test_more_groups_than_nodes_end_in_one_group(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_ITEMS", 3)
    monkeypatch.setattr(views, "MOST_LINKS", 2)
    view = write_view(asker, Question("wide", "upstream"))
    assert view.nodes == 4
    assert (view.relationships, view.left_out) == (2, 2)
    counts = [int(str(items)) for _, items, _ in rows(asker.graph, NODES)]
    assert sum(counts) == 401


def test_an_equal_question_replaces_its_view_and_others_stay(asker: Asker) -> None:
    wide = Question("wide", "upstream")
    first = write_view(asker, wide)
    assert write_view(asker, wide).query == first.query
    other = write_view(asker, replace(wide, direction="downstream"))
    assert len(rows(asker.graph, NODES)) == first.nodes + other.nodes


@pytest.mark.long
def test_views_of_another_warehouse_stay(asker: Asker, houses: Callable[..., House]) -> None:
    other = houses()
    other.ingest(TRIPLES[:5])
    write_view(asker, Question("wide", "upstream"))
    with other.asker() as second:
        assert rows(second.graph, NODES) == []
        write_view(second, Question(TRIPLES[0].dst, "upstream", sets=True))
        asker.graph.remove_views()
        assert rows(second.graph, NODES)
        second.graph.remove_views()


def test_check_ignores_views_and_they_change_no_answer(house: House, asker: Asker) -> None:
    question = Question(widest(asker), "downstream")
    before = asker.answer(question)
    write_view(asker, replace(question, sets=True))
    assert check(house.settings, Silent(), deep=True).damages == ()
    after = asker.answer(question)
    assert (after.items, after.triples, after.read) == (before.items, before.triples, before.read)


def test_a_view_expires(house: House, asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Question("wide", "upstream")
    write_view(asker, wide)
    asker.graph.remove_views(expired=True)
    assert rows(asker.graph, NODES)
    monkeypatch.setattr(views, "LIFETIME", timedelta(seconds=-1))
    write_view(asker, wide)
    with shared_graph(asker.graph.warehouse, house.settings, Silent()) as opened:
        assert rows(opened, NODES) == []


def test_names_in_neo4j_are_marked_before_they_are_written(
    house: House, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark lists the items in the view. An erasure of other items does not rebuild Neo4j."""
    home, warehouse = house.settings.graph_home, asker.graph.warehouse
    clear_mark(home)
    shown = widest(asker)
    answer = asker.ask(shown, "upstream")
    texts = [shown, *answer.items["item"].to_pylist()]
    numbers = set(asker.snapshot.names.locate(pa.array(texts, pa.string())).tolist())
    others = set(range(asker.snapshot.commit.totals.items)) - numbers
    base = asker.snapshot.commit.base

    def failing(*_: object) -> None:
        raise Unavailable("Neo4j is down")

    monkeypatch.setattr(asker.graph, "write_view", failing)
    with pytest.raises(Unavailable):
        write_view(asker, Question(shown, "upstream", sets=True))
    assert all(has_names(home, warehouse, {base: {number}}) for number in numbers)
    assert not has_names(home, warehouse, {base: others})
    assert not has_names(home, "another warehouse", {base: numbers})
    assert has_names(home, warehouse, {base + 1: others}), "the base of the view was pruned"


def test_an_empty_mark_of_an_earlier_version_means_any_name(tmp_path: Path) -> None:
    assert not has_names(tmp_path, "w", {1: {1}})
    (tmp_path / "has-names").touch()
    assert has_names(tmp_path, "w", {1: {1}})
    mark_names(tmp_path, "w", 1, [2])
    assert has_names(tmp_path, "w", {1: {1}})
    clear_mark(tmp_path)
    mark_names(tmp_path, "w", 1, [2])
    assert not has_names(tmp_path, "w", {1: {1}})


@pytest.mark.long
def test_an_erasure_meanwhile_begins_the_view_again(
    houses: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    house = houses()
    house.ingest([Triple("a", "b", "x"), Triple("b", "c", "x"), Triple("d", "c", "x")])
    with house.asker() as asker:
        marked: list[list[int]] = []

        def erasing(home: Path, warehouse: str, base: int, items: Iterable[int]) -> None:
            if not marked:  # the erasure finds no mark, so it rebuilds nothing
                assert not forget(["a"], house.settings, Silent()).neo4j
            marked.append(sorted(items))
            mark_names(home, warehouse, base, items)

        monkeypatch.setattr(views, "mark_names", erasing)
        write_view(asker, Question("c", "upstream", sets=True))
        assert list(map(len, marked)) == [4, 3]
        assert {name for name, _, _ in rows(asker.graph, NODES)} == {"b", "c", "d"}
        asker.graph.remove_views()
        clear_mark(house.settings.graph_home)


@pytest.mark.long
def test_writers_and_exports_ignore_views(houses: Callable[..., House], tmp_path: Path) -> None:
    """After each writer and export, the invariants hold and the answers are the same."""
    house = houses(theta=8, pack=0, partition_triples=10)
    house.ingest(TRIPLES[:200])
    house.ingest(TRIPLES[200:300])
    question = Question(TRIPLES[0].dst, "upstream", sets=True)
    with house.asker() as asker:
        expected = content(asker.answer(question))
    acts: tuple[Callable[[], object], ...] = (
        lambda: compact(house.settings, Silent()),
        lambda: repair(house.settings, Silent()),
        lambda: prune(house.settings, Silent(), keep=1),
        lambda: export_warehouse(house.layout, tmp_path / "exported", Silent()),
    )
    for act in acts:
        with house.asker() as asker:
            assert write_view(asker, question).nodes > 1
        before = status(house.settings)
        act()
        house.check_deep()
        with house.asker() as asker:
            assert content(asker.answer(question)) == expected
            assert (status(house.settings).triples) == before.triples
            asker.graph.remove_views()
    assert "Item" not in (tmp_path / "exported" / "manifest.json").read_text()
    clear_mark(house.settings.graph_home)


def test_a_view_has_browsers_address(asker: Asker) -> None:
    view: Neo4jView = write_view(asker, Question("wide", "upstream"))
    assert view.url.startswith(f"{asker.graph.address.http}/browser/?")
    assert "cmd=edit&arg=MATCH%20" in view.url


def test_captions_tell_nodes_apart_and_the_asked_item_is_marked(asker: Asker) -> None:
    for item in ("wide", widest(asker)):
        view = write_view(asker, Question(item, "upstream"))
        found = rows(asker.graph, "MATCH (i:Item {warehouse: $warehouse}) RETURN i.caption, i.key")
        assert len({caption for caption, _ in found}) == view.nodes
        asked = rows(asker.graph, "MATCH (i:Asked {warehouse: $warehouse}) RETURN i.caption, i.key")
        some = "MATCH (i:Item {warehouse: $warehouse}) WHERE i.items > 1"
        groups = rows(asker.graph, f"{some} RETURN i.caption, coalesce(i.table, '')")
        begin = [(str(text), f"{table or 'others'}: ") for text, table in groups]
        assert [text for text, start in begin if not text.startswith(start)] == []
        assert begin or item != "wide"
        ((caption, key),) = asked
        assert key == 0
        assert str(caption).startswith(item)
        asker.graph.remove_views()


def test_sets_are_shown_only_if_asked_for(asker: Asker) -> None:
    view = write_view(asker, Question(widest(asker), "upstream"))
    without = rows(asker.graph, view.query.replace("RETURN i, d, n", "RETURN DISTINCT labels(n)"))
    assert not any(label and "Set" in label for (label,) in without)  # type: ignore[operator]
    with_sets = view.sets_query.replace("RETURN i, d, n", "RETURN DISTINCT labels(n)")
    assert (["Set"],) in rows(asker.graph, with_sets)

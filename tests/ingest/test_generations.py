"""After ingests, rollbacks and compactions, each generation gives the right answers.

``tests/fire/test_sequences.py`` tries these operations in any order.
"""

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import cast

import networkx as nx
import pytest
from neo4j import GraphDatabase

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care import restage
from provhouse.care.compact import compact
from provhouse.care.rollback import rollback
from provhouse.model.errors import Damaged, NotFound
from provhouse.model.progress import Silent
from provhouse.model.question import Direction
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Totals, current, generations

Houses = Callable[..., House]
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
SHOWN = """
MATCH (n {warehouse: $warehouse}) WHERE n:Table OR n:Component OR n:Set
OPTIONAL MATCH (n)-[r]->(m)
RETURN labels(n)[0], properties(n), type(r), properties(r), labels(m)[0], coalesce(m.id, m.name)
"""


FLOW = """
MATCH (a:Table {warehouse: $warehouse})-[r:DERIVES_FROM]->(b) RETURN b.name, a.name, r.triples
"""
LOOSE = "MATCH (s:Set {warehouse: $warehouse}) WHERE NOT (s)-[:PART_OF]->() RETURN s.id"
COMPONENTS = """
MATCH (c:Component {warehouse: $warehouse}) WHERE NOT (c)-[:MERGED_INTO]->()
OPTIONAL MATCH (s:Set)-[:PART_OF]->()-[:MERGED_INTO*0..]->(c)
RETURN c.id, c.items, c.triples, collect(DISTINCT s.id) AS sets, sum(s.triples)
"""


def triples(*seeds: int) -> list[Triple]:
    return [triple for seed in seeds for triple in graph(seed).triples]


def assert_answers(house: House, held: list[Triple], random: Random, questions: int) -> None:
    """Compare the lineage and impact of some stored items with the answers of networkx."""
    oracle = Oracle.of(held)
    items = sorted({end for triple in held for end in triple[:2]})
    with house.asker() as asker:
        for item in random.sample(items, min(questions, len(items))):
            for direction in DIRECTIONS:
                expected = oracle.ask(item, direction)
                assert content(asker.ask(item, direction, "csprov")) == expected, item


@pytest.mark.long
def test_ten_appends_answer_like_one_ingest(houses: Houses) -> None:
    """Ten ingests answer like a single one, except for the tables of items with two tables."""
    random = Random(7)
    rows = sorted(set(triples(*range(500, 522))))
    random.shuffle(rows)
    appended, whole = houses(theta=5, pack=3), houses(theta=5, pack=3)
    for part in range(10):
        appended.ingest(rows[part::10])
    summary = whole.ingest(rows)
    commit = current(appended.layout)
    assert commit
    for name in ("triples", "items", "components"):
        assert getattr(commit.totals, name) == getattr(summary, name)
    items = sorted({end for triple in rows for end in triple[:2]})
    with appended.asker() as one, whole.asker() as other:
        for item in random.sample(items, 40):
            for direction in DIRECTIONS:
                answers = [content(asker.ask(item, direction, "csprov")) for asker in (one, other)]
                assert answers[0] == answers[1]


@pytest.mark.long
def test_neo4j_shows_the_whole_after_appends(houses: Houses) -> None:
    """Three ingests connect components in several ways; networkx finds what Neo4j must show.

    Sets that are whole components have no node until triples connect them with other sets.
    """
    rows = sorted(set(triples(*range(500, 512))))
    Random(7).shuffle(rows)
    house = houses(theta=5, pack=3, plain_nodes=0)
    for part in range(3):
        house.ingest(rows[part::3])
    commit = current(house.layout)
    assert commit
    snapshot = Snapshot(house.layout, commit)
    edges = nx.DiGraph((each.src, each.dst) for each in rows)
    count = Counter(
        (len(some), sum(each.dst in some for each in rows))
        for some in nx.weakly_connected_components(edges)
    )
    with house.asker() as asker:
        found = asker.graph.read(COMPONENTS, {}).rows
        assert not asker.graph.read(LOOSE, {}).rows
        flow = Counter((each.src_table, each.dst_table) for each in rows)
        drawn = {(str(row[0]), str(row[1])): row[2] for row in asker.graph.read(FLOW, {}).rows}
        assert drawn == {ends: count for ends, count in flow.items() if all(ends)}
    assert Counter((items, held) for _, items, held, _, _ in found) <= count
    assert all(held == of_sets for _, _, held, _, of_sets in found)
    sets = {each: row[0] for row in found for each in cast(list[int], row[3])}
    whole = dict(zip(snapshot.set_ids.tolist(), snapshot.set_components.tolist(), strict=True))
    size = Counter(whole.values())
    assert {one for one, component in whole.items() if size[component] > 1} <= sets.keys()
    assert all(whole[one] == component for one, component in sets.items())


def shown(house: House, sets: set[int]) -> list[str]:
    """Return, as strings, Neo4j's content about all tables, the given sets and their components."""
    auth = (house.address.user, house.address.password)
    with (
        GraphDatabase.driver(house.address.bolt, auth=auth) as driver,
        driver.session() as session,
    ):
        rows = session.run(SHOWN, warehouse=house.layout.warehouse_id()).values()
    kept = [row for row in rows if row[0] == "Table" or {row[1]["id"], row[5]} <= {*sets, None}]
    return sorted(repr([kind, sorted(own.items()), *rest]) for kind, own, *rest in kept)


def test_neo4j_shows_its_former_state_after_a_rollback(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    house.ingest(triples(44, 47))
    commit = current(house.layout)
    assert commit
    snapshot = Snapshot(house.layout, commit)
    ids = {*snapshot.set_ids.tolist(), *snapshot.set_components.tolist()}
    before = shown(house, ids)
    one, other = (graph(seed).triples[0] for seed in (44, 47))
    house.ingest(
        [Triple(one.dst, other.src, "join", "new", "new"), Triple("x", one.src, "", "new", "")]
    )
    assert shown(house, ids) != before
    rollback(house.settings, Silent())
    house.check()
    after = shown(house, ids)
    assert [row for row in after if "'ops': 'join'" not in row] == before
    assert len(after) == len(before) + 1  # the dependency stays for the generation that needs it


@pytest.mark.long
def test_rollbacks_return_to_the_previous_base_and_to_an_empty_warehouse(houses: Houses) -> None:
    house = houses(theta=4, pack=0)
    house.ingest(triples(1))
    house.ingest(triples(2), replace=True)
    assert_answers(house, triples(2), Random(1), 3)
    rollback(house.settings, Silent())
    assert_answers(house, triples(1), Random(1), 3)
    shown = rollback(house.settings, Silent())
    assert (shown.visible, shown.totals) == ((), Totals())
    with house.asker() as asker, pytest.raises(NotFound, match="0 items"):
        asker.ask(triples(1)[0].src, "upstream", "csprov")
    for change in (rollback, compact):
        with pytest.raises(NotFound):
            change(house.settings, Silent())
    house.ingest(triples(1, 2))
    assert_answers(house, triples(1, 2), Random(1), 3)


@pytest.mark.long
def test_a_compaction_equals_one_ingest_and_disturbs_no_reader(houses: Houses) -> None:
    """A compaction keeps rejects and the births of triples, and drops rolled-back triples."""
    house = houses(theta=4, pack=0, partition_triples=20)
    parts = [triples(seed) for seed in range(60, 64)]
    for part in parts[:3]:
        house.ingest_files(file(house, [*part, Triple("", "no src", "")]))
    held = sorted({triple for part in parts[:3] for triple in part})
    house.ingest(parts[3])
    rollback(house.settings, Silent())
    born = born_in(house)
    with house.asker() as reader:
        item = held[0].dst
        compact(house.settings, Silent())
        assert content(reader.ask(item, "upstream", "csprov")) == Oracle.of(held).ask(
            item, "upstream"
        )
    house.check()
    assert born_in(house) == born
    assert set(born.values()) == {1, 2, 3}
    commit = current(house.layout)
    assert commit
    assert len(Snapshot(house.layout, commit).rows("rejects")) == 3
    one = houses(theta=4, pack=0, partition_triples=20)
    summary = one.ingest(held)
    assert asdict(commit.totals) == {
        **asdict(commit.totals),
        **{n: getattr(summary, n) for n in ("triples", "items", "components")},
    }
    assert_answers(house, held, Random(1), 5)


def file(house: House, rows: list[Triple]) -> Path:
    path = house.settings.warehouse.parent / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([Triple._fields, *rows])
    return path


def born_in(house: House) -> dict[tuple[str, ...], int]:
    """Return the generation in which each triple was born, according to the Delta table."""
    commit = current(house.layout)
    assert commit
    snapshot = Snapshot(house.layout, commit)
    rows = snapshot.rows("triples", ["src", "dst", "op", "born"])
    src, dst = (snapshot.names.names(rows[end].to_numpy()).to_pylist() for end in ("src", "dst"))
    triples = zip(src, dst, rows["op"].to_pylist(), strict=True)
    return dict(zip(triples, rows["born"].to_pylist(), strict=True))


@pytest.mark.long
def test_a_compaction_that_loses_triples_changes_nothing(
    houses: Houses, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = houses(theta=4, pack=0, partition_triples=5)
    house.ingest(triples(1, 2))
    monkeypatch.setattr(restage, "_chunks", lambda snapshot: [snapshot.partitions[1:]])
    with pytest.raises(Damaged, match=r"The new base has .* triples"):
        compact(house.settings, Silent())
    assert generations(house.layout) == [1]
    assert [f.name for f in house.layout.root.glob("base-*")] == ["base-1"]
    assert_answers(house, triples(1, 2), Random(1), 3)


@pytest.mark.long
def test_a_warehouse_keeps_its_theta_until_another_is_set(houses: Houses) -> None:
    chain = [Triple(f"n{at}", f"n{at + 1}") for at in range(40)]
    small = houses(theta=4, pack=0)
    small.ingest(chain)
    later = House(replace(small.settings, theta=None), small.session)
    later.theta = 4
    compact(later.settings, Silent())
    later.check()
    assert later.commit.theta == 4
    later.ingest([Triple(f"m{at}", f"m{at + 1}") for at in range(40)])
    assert later.commit.theta == 4
    compact(replace(small.settings, theta=50), Silent())
    assert (later.commit.theta, later.commit.totals.sets) == (50, 2)

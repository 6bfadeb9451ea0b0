"""Filtered questions, paths and searches for names give the right answers.

In these tests, every method gives the same result as a naive search in plain Python.
"""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import networkx as nx
import pytest

from helpers.filter_oracle import Step, Trace, random_question, random_trace, shown, text
from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.cypher import neo4j_process
from provhouse.model.errors import NotFound, Unavailable, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method, Question
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.path import Paths, path
from provhouse.query.listing.find import find
from provhouse.query.suggest import close_matches
from provhouse.store.cache.partition_cache import PartitionCache

TRACES, QUESTIONS, PAIRS = 4, 10, 6
ODD = [
    'a "quoted" name', "a.*name", "a[name]", "a%name_", "a\\name", "a\nname", "a'name", "ä name",
    "a\u0308 name", "🜚", "A NAME", "Mixed cAse", "--", "; DROP", "$1", "{}", " ", "\tname",
]  # fmt: skip


@pytest.fixture(scope="module")
def traces() -> list[Trace]:
    random = Random(4)
    return [
        random_trace(random, f"{number}.", random.randint(3, 20), random.randint(3, 40))
        for number in range(TRACES)
    ]


@pytest.fixture(scope="module")
def house(houses: Callable[..., House], traces: list[Trace]) -> House:
    """A warehouse with small sets, all traces and a chain of odd names, made by two ingests."""
    odd = dict.fromkeys(ODD, "odd")
    steps = [(step, one.tables) for one in traces for step in sorted(one.steps)]
    steps += [(Step(src, dst), odd) for src, dst in pairwise(ODD)]
    house: House = houses(theta=5, pack=2, partition_triples=100)
    columns = ("src", "dst", "op", "by", "run", "src_table", "dst_table")
    rows = [(*step, tables[step.src], tables[step.dst]) for step, tables in steps]
    for part in range(2):
        file = house.settings.warehouse.parent / f"{part}.csv"
        with file.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows([columns, *rows[part::2]])
        house.ingest_files(file)
    return house


def test_only_a_warm_server_starts_neo4j_for_long(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server passes the partitions that its askers share."""
    started = list[bool]()

    def spawn(command: Sequence[str], *_: object) -> int:
        started.append("-XX:TieredStopAtLevel=1" in command)
        raise Unavailable("No server", "The test starts none", "Nothing to do")

    monkeypatch.setattr(neo4j_process, "spawn", spawn)
    settings = replace(house.settings, neo4j_home=tmp_path)
    for cached in (None, PartitionCache(settings)):
        with Asker(settings, Silent(), None, cached) as one, pytest.raises(Unavailable):
            _ = one.graph
    assert started == [True, False]


@pytest.fixture(scope="module")
def asker(house: House) -> Iterator[Asker]:
    """An ``Asker`` for the warehouse, which all tests share."""
    with house.asker() as opened:
        yield opened


@pytest.mark.long
@pytest.mark.parametrize(
    "number", [0, *(pytest.param(each, marks=pytest.mark.long) for each in range(1, TRACES))]
)
def test_all_methods_give_the_same_filtered_answer(
    asker: Asker, traces: list[Trace], number: int
) -> None:
    random, one = Random(number), traces[number]
    for turn in range(QUESTIONS):
        question = replace(random_question(random, one.tables), method="csprov")
        answer = asker.answer(question)
        assert shown(answer) == one.ask(question), question
        assert answer.complete
        if turn in (0, 4) or (number and turn % 4 == 0):
            method: Method = "ccprov" if turn == 4 else "rq"
            other = asker.answer(replace(question, method=method))
            assert other.items == answer.items
            assert other.triples == answer.triples
            assert other.truncated == answer.truncated


def test_a_summary_has_counts_and_no_rows(asker: Asker, traces: list[Trace]) -> None:
    for item in traces[0].tables:
        question = Question(item, "downstream", ops=("x", "y"))
        rows, counts = asker.answer(question), asker.answer(replace(question, summary=True))
        assert rows.counts is None
        assert counts.counts
        assert sum(counts.counts.tables["items"].to_pylist()) == rows.items.num_rows
        assert sum(counts.counts.ops["triples"].to_pylist()) == rows.triples.num_rows
        assert counts.items == rows.items.slice(0, 0)
        assert counts.triples == rows.triples.slice(0, 0)
        assert counts.hidden == rows.hidden


def test_an_unknown_table_is_refused(asker: Asker) -> None:
    item = ODD[0]
    for question in (
        Question(item, "upstream", tables=("s", "Odd")),
        Question(item, "upstream", through="Odd"),
    ):
        with pytest.raises(UsageError, match="'Odd'") as error:
            asker.answer(question)
        assert "'odd'" in error.value.remedy
    with pytest.raises(UsageError):
        find(asker.snapshot, "", table="x")


@pytest.mark.parametrize("number", range(TRACES))
def test_paths_equal_networkx(asker: Asker, traces: list[Trace], number: int) -> None:
    random, one = Random(number), traces[number]
    graph = nx.DiGraph([step[:2] for step in one.steps])
    pairs = random.sample(sorted(product(graph, repeat=2)), PAIRS) + [(n, n) for n in [*graph][:2]]
    for source, target in pairs:
        after = {n: nx.single_source_shortest_path_length(graph, n) for n in graph[source]}
        hops = min((1 + far[target] for far in after.values() if target in far), default=None)
        if hops is None:
            with pytest.raises(NotFound, match="No path leads from") as error:
                path(asker, source, target)
            back = source != target and nx.has_path(graph, target, source)
            assert ("the other way round" in error.value.found) == back
        else:
            found = path(asker, source, target)
            _check_one(found, one, hops)
            if source != target:  # of several paths, the one that is first by name is right
                first = min(nx.all_shortest_paths(graph, source, target))
                assert found.items["item"].to_pylist() == first
            _check_all(path(asker, source, target, every=True), one, graph, hops)


def _check_one(found: Paths, one: Trace, hops: int) -> None:
    triples = found.triples.to_pylist()
    assert found.hops == hops == len(triples)
    assert triples[0]["src"] == found.source
    assert triples[-1]["dst"] == found.target
    assert all(before["dst"] == after["src"] for before, after in pairwise(triples))
    steps = {(s.src, s.dst, s.op, text(s.attributes)) for s in one.steps}
    assert {tuple(row.values()) for row in triples} <= steps
    passed = [found.source, *(row["dst"] for row in triples)]
    items = [(item, one.tables[item], depth) for depth, item in enumerate(passed)]
    expected = items if found.source != found.target else items[:-1]
    assert [tuple(row.values()) for row in found.items.to_pylist()] == expected


def _check_all(found: Paths, one: Trace, graph: "nx.DiGraph[str]", hops: int) -> None:
    behind = nx.descendants(graph, found.source) | {found.source}
    before = nx.ancestors(graph, found.target) | {found.target}
    steps = [s for s in one.steps if s.src in behind and s.dst in before]
    rows = [tuple(row.values()) for row in found.triples.to_pylist()]
    assert len(rows) == len(steps)
    assert {*rows} == {(s.src, s.dst, s.op, text(s.attributes)) for s in steps}
    depth = nx.single_source_shortest_path_length(graph, found.source)
    assert [depth[src] for src, *_ in rows] == sorted(depth[src] for src, *_ in rows)
    items = {(item, one.tables[item], depth[item]) for s in steps for item in s[:2]}
    assert {tuple(row.values()) for row in found.items.to_pylist()} == items
    assert found.items.num_rows == len(items)
    assert found.hops == hops


def test_a_path_reads_only_the_sets_between(asker: Asker) -> None:
    """The path between a chain's last two items reads less than the lineage of its last item."""
    whole = asker.ask(ODD[-1], "upstream", "csprov").read
    near = path(asker, ODD[-2], ODD[-1]).read
    assert near.sets < whole.sets
    assert near.triples < whole.triples
    with pytest.raises(NotFound, match="the other way round"):
        path(asker, ODD[-1], ODD[-2])


def test_there_is_no_path_between_components(asker: Asker, traces: list[Trace]) -> None:
    with pytest.raises(NotFound, match="nothing connects them"):
        path(asker, ODD[0], min(traces[0].tables))


def all_names(asker: Asker, traces: list[Trace]) -> dict[str, str]:
    tables = {name: table for one in traces for name, table in one.tables.items()}
    return {**tables, **dict.fromkeys(ODD, "odd")}


@pytest.mark.parametrize(
    "wanted",
    one_in(
        8, ["", "1", "1.", "a", "A", "ä", "a\u0308", *ODD, ".*", ".", "name", "%", "\\", "\n", "x"]
    ),
)
def test_find_matches_every_character_exactly(
    asker: Asker, traces: list[Trace], wanted: str
) -> None:
    names = all_names(asker, traces)
    for anywhere, table, limit in product((False, True), (None, "", "odd", "s"), (1, 20, 1_000)):
        found = find(asker.snapshot, wanted, anywhere=anywhere, table=table, limit=limit)
        matches = sorted(
            name
            for name, own in names.items()
            if (wanted in name if anywhere else name.startswith(wanted)) and table in (None, own)
        )
        assert found.matches == len(matches)
        assert found.items["item"].to_pylist() == matches[:limit]
        assert found.items["table"].to_pylist() == [names[name] for name in matches[:limit]]
        assert found.truncated == ("limit" if len(matches) > limit else None)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("a naem", None),
        ("; DORP", "; DROP"),
        ("; DRP", "; DROP"),
        ("; DROPP", "; DROP"),
        ("; DROQ", "; DROP"),
        ("; drop", "; DROP"),
        ("; dRop", "; DROP"),
        (" ; DROP ", "; DROP"),
        ("a nämé", None),
        ("a 'quoted' name", None),
        ("ä  name", "ä name"),
        ("a_name", "A NAME"),
        ('a "quoted" name and more', 'a "quoted" name'),
        ('a "quo', 'a "quoted" name'),
        ("A\\NAME", "a\\name"),
        ("mIxed casE", "Mixed cAse"),
        ("MIXED C", "Mixed cAse"),
        ("a namee", "A NAME"),
        ("; drpo", "; DROP"),
    ],
)
def test_similar_names_are_suggested(asker: Asker, asked: str, meant: str | None) -> None:
    with pytest.raises(NotFound) as error:
        asker.ask(asked, "upstream")
    message = error.value.remedy
    assert "`provhouse find TEXT --anywhere`" in message
    if meant is not None:
        assert repr(meant) in message
    with pytest.raises(NotFound) as error:
        asker.answer(Question(asked, "upstream"), suggest=False)
    assert "must match exactly" in error.value.remedy


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("ORDERS", ["orders"]),
        ("Orders", ["orders"]),
        ("ORDRES", ["orders"]),
        ("Invoice", ["INVOICES", "invoices"]),
        ("zzz", []),
        ("", []),
    ],
)
def test_close_names_of_tables_differ_in_case(asked: str, near: list[str]) -> None:
    assert close_matches(asked, ["INVOICES", "invoices", "orders", "prices"]) == near


@pytest.fixture
def command(house: House, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs ``provhouse`` in this process and returns the output."""
    settings = house.settings

    def called(*arguments: str, status: int = 0) -> str:
        home = f"neo4j_home={settings.graph_home}"
        options = ["--warehouse", str(settings.warehouse), "--set", home]
        assert run([*options, *arguments]) == status
        out, err = capsys.readouterr()
        return err if status else out

    return called


OPTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("--through s", {"through": "s"}),
    ("--table s --table t", {"tables": ("s", "t")}),
    ("--op x --op y", {"ops": ("x", "y")}),
    ("--where by=a --where run=1", {"where": (("by", "a"), ("run", "1"))}),
    ("--sources", {"ends": True}),
    ("--limit 2", {"limit": 2}),
)


@pytest.mark.parametrize(("options", "change"), OPTIONS)
@pytest.mark.parametrize("command_name", one_in(4, ["lineage", "impact"]))
def test_options_become_filters(
    command: Callable[..., str],
    traces: list[Trace],
    command_name: str,
    options: str,
    change: dict[str, Any],
) -> None:
    """The option changes the answer about the chosen item."""
    direction: Direction = "upstream" if command_name == "lineage" else "downstream"
    options = options if direction == "upstream" else options.replace("sources", "sinks")
    expected = next(
        (item, some)
        for one in traces
        for item in one.tables
        if (some := one.ask(Question(item, direction, **change))).items
        and some != one.ask(Question(item, direction))
    )
    value = json.loads(command(command_name, expected[0], *options.split()))
    assert [tuple(row.values()) for row in value["items"]] == expected[1].items
    assert len(value["triples"]) == len(expected[1].triples)


def test_the_summary_option_counts_items_and_triples(command: Callable[..., str]) -> None:
    rows = command("lineage", "{}", "--summary", "--format", "csv").splitlines()
    assert rows == ["kind,name,count", f"table,odd,{ODD.index('{}')}", f"op,,{ODD.index('{}')}"]


@pytest.mark.long
def test_paths_and_matches_are_printed(command: Callable[..., str]) -> None:
    way = json.loads(command("path", "; DROP", "{}"))
    assert [row["src"] for row in way["triples"]] == ["; DROP", "$1"]
    assert command("path", "; DROP", "{}", "--all", "--format", "csv").count("\n") == 3
    message = command("path", "{}", "; DROP", status=3)
    assert "It is the other way round" in message
    assert "'; DROP'" in command("path", "; DORP", "{}", status=3)
    found = json.loads(command("find", "ROP", "--anywhere", "--table", "odd", "--limit", "1"))
    assert found["items"] == [{"item": "; DROP", "table": "odd"}]
    assert json.loads(command("find", "ROP"))["items"] == []

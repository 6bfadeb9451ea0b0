"""A question as of a generation gets the same answer as when the generation was current."""

import gc
import json
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import networkx as nx
import pytest

from helpers.graphs import graph
from helpers.oracle import Expected, Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.rollback import rollback
from provhouse.cli.app import run
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import AsOf, Direction, Method, Question
from provhouse.query.as_of import commit_as_of
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.diff import Change, compare
from provhouse.query.listing.generations import list_generations
from provhouse.store.warehouse.commits import Commit, Totals, read_commit, write_commit
from provhouse.store.warehouse.layout import Layout

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
SEED = 3
PAIRS = ((1, 2), (2, 3), (1, 4), (4, 5), (4, 6), (2, 6), (6, 7), (6, 1))
"""The pairs of generations to compare.

Some pairs are consecutive. In others, a rollback, a compaction or a new base lies between the two
generations. In one pair, the later generation comes first.
"""


@dataclass
class History:
    """A warehouse, and the triples in each of its generations."""

    house: House
    held: dict[int, list[Triple]] = field(default_factory=dict)

    def askers(self, as_of: AsOf | None) -> Asker:
        return Asker(self.house.settings, Silent(), as_of)

    def oracle(self, generation: int) -> Oracle:
        return Oracle.of(self.held[generation])

    def items(self, *generations: int) -> list[str]:
        """Return all items in the given generations, in random order."""
        named = {end for g in generations for triple in self.held[g] for end in triple[:2]}
        return Random(SEED).sample(sorted(named), len(named))


@pytest.fixture(scope="module")
def history(houses: Callable[..., House]) -> History:
    """Return a history: ingests, a rollback, a compaction, and a new base.

    Some of the ingests join components.
    """
    random = Random(SEED)
    found = History(houses(theta=4, pack=0, partition_triples=60))
    rows = [triple for seed in (0, 5, 12, 18, 29) for triple in graph(seed).triples]
    random.shuffle(rows)
    joins = [Triple(random.choice(rows).dst, random.choice(rows).src, "join") for _ in range(9)]
    parts = [rows[n::4] + joins[n::4] for n in range(4)]

    def ingest(part: int, before: int, **options: bool) -> None:
        summary = found.house.ingest(parts[part], **options)
        found.held[summary.generation] = sorted({*found.held.get(before, []), *parts[part]})

    ingest(0, 0)
    ingest(1, 1)
    found.held[rollback(found.house.settings, Silent()).generation] = found.held[1]
    ingest(2, 3)
    found.held[compact(found.house.settings, Silent()).generation] = found.held[4]
    ingest(1, 5)
    ingest(3, 0, replace=True)
    return found


def expected(oracle: Oracle, item: str, direction: Direction) -> Expected | None:
    return oracle.ask(item, direction) if item in oracle.graph else None


def answered(asker: Asker, item: str, direction: Direction, method: Method) -> Expected | None:
    try:
        return content(asker.ask(item, direction, method))
    except NotFound:
        return None


@pytest.mark.long
@pytest.mark.parametrize("most", [1, pytest.param(6, marks=pytest.mark.long)])
def test_each_generation_answers_as_when_it_was_current(history: History, most: int) -> None:
    """The tested generations include a rolled-back one and some of an earlier base."""
    assert list(history.held) == [1, 2, 3, 4, 5, 6, 7]
    items = history.items(*history.held)[:most]
    for generation in history.held:
        oracle = history.oracle(generation)
        with Asker(history.house.settings, Silent(), generation) as asker:
            assert asker.snapshot.commit.generation == generation
            for number, item in enumerate(items):
                for direction in DIRECTIONS:
                    methods: list[Method] = ["csprov"]
                    if number == 0 and direction == "upstream" and generation == 4:
                        methods += ["rq", "ccprov"] if most > 1 else ["rq"]
                    for method in methods:
                        found = answered(asker, item, direction, method)
                        where = f"{item} {direction} in generation {generation} by {method}"
                        assert found == expected(oracle, item, direction), where


@pytest.mark.long
def test_a_path_as_of_a_generation(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    """The path is requested in Python and on the command line.

    It is not in the current generation.
    """
    now = history.oracle(max(history.held)).graph
    generation, gone = next(
        (generation, triple) for generation in sorted(history.held) for triple in
        history.held[generation] if triple.src != triple.dst
        and not (triple.src in now and triple.dst in now and nx.has_path(now, *triple[:2]))
    )  # fmt: skip
    with history.house.open() as warehouse:
        found = warehouse.path(gone.src, gone.dst, as_of=generation)
        assert (found.generation, found.hops) == (generation, 1)
        with pytest.raises(NotFound):
            warehouse.path(gone.src, gone.dst)
    settings = history.house.settings
    options = ["--warehouse", str(settings.warehouse), "--set", f"neo4j_home={settings.graph_home}"]
    capsys.readouterr()
    status = run([*options, "path", gone.src, gone.dst, "--as-of", str(generation)])
    assert status == 0
    assert json.loads(capsys.readouterr().out)["triples"][0]["dst"] == gone.dst
    assert run([*options, "path", gone.src, gone.dst]) == NotFound.exit_status


def test_a_closed_asker_is_freed_without_garbage_collection(history: History) -> None:
    """A closed asker must be freed: a server opens many, and each keeps its base's files open."""
    gc.collect()
    gc.disable()
    try:
        with Asker(history.house.settings, Silent()) as asker:
            asker.warm()
            asker.ask(history.items(max(history.held))[0], "upstream", "csprov")
            names = weakref.ref(asker.snapshot.names)
        del asker
        assert names() is None
    finally:
        gc.enable()


def test_a_time_means_the_last_generation_until_then(history: History) -> None:
    commits = [read_commit(history.house.layout, g) for g in history.held]
    last = {commit.time: commit for commit in commits}  # two commits may have the same time
    assert len(last) > 1
    for commit in last.values():
        assert commit_as_of(history.house.layout, commit.time) == commit


def changed(history: History, since: int, until: int) -> Iterator[tuple[str, Direction]]:
    """Yield an item whose lineage changed and an item whose impact changed, if any exist."""
    one, other = history.oracle(since), history.oracle(until)
    for direction in DIRECTIONS:
        items = history.items(since, until)
        same = [expected(one, i, direction) == expected(other, i, direction) for i in items]
        yield items[same.index(False)] if False in same else items[0], direction


def triples(change: Change) -> set[tuple[str, str, str]]:
    return {(row["src"], row["dst"], row["op"]) for row in change.triples.to_pylist()}


def names(change: Change) -> set[str]:
    return set(change.items["item"].to_pylist())


@pytest.mark.parametrize("pairs", [PAIRS[1:4], pytest.param(PAIRS, marks=pytest.mark.long)])
def test_diff_is_the_difference_of_two_answers(
    history: History, pairs: tuple[tuple[int, int], ...]
) -> None:
    for since, until in pairs:
        oracles = history.oracle(since), history.oracle(until)
        for item, direction in changed(history, since, until):
            answers = [expected(oracle, item, direction) for oracle in oracles]
            question = Question(item, direction, as_of=since)
            found = compare(question, until, history.askers)
            assert (found.since.generation, found.until.generation) == (since, until)
            assert [side.stored for side in (found.since, found.until)] == [
                answer is not None for answer in answers
            ]
            before, after = (answer or Expected(set(), set(), False) for answer in answers)
            old, new = ({item for item, _ in answer.items} for answer in (before, after))
            where = f"{item} {direction}, {since} to {until}"
            assert names(found.came) == new - old, where
            assert names(found.went) == old - new, where
            assert triples(found.came) == after.triples - before.triples, where
            assert triples(found.went) == before.triples - after.triples, where


@pytest.mark.long
def test_diff_to_the_current_generation_and_of_an_unknown_item(history: History) -> None:
    item = history.items(7)[0]
    found = compare(Question(item, "upstream", as_of=7), None, history.askers)
    assert not found.came.triples.num_rows + found.went.triples.num_rows
    with pytest.raises(NotFound, match="Neither of them"):
        compare(Question("?", "upstream", as_of=1), 2, history.askers)


def test_generations_are_listed(history: History) -> None:
    rows = list_generations(history.house.layout)
    assert [row.generation for row in rows] == list(history.held)
    assert [row.change for row in rows] == [
        "ingest", "ingest", "rollback", "ingest", "compact", "ingest", "replace",
    ]  # fmt: skip
    assert [row.back_to for row in rows] == [None, None, 1, None, None, None, None]
    assert [row.base for row in rows] == [1, 1, 1, 1, 2, 2, 3]
    assert [row.current for row in rows] == [False] * 6 + [True]
    for row in rows:
        assert row.triples == len(history.held[row.generation])
    new = [row.new_triples for row in rows]
    assert new[0] == rows[0].triples
    assert (new[2], new[4]) == (0, 0)
    assert (new[1], new[3]) == (rows[1].triples - rows[0].triples, rows[3].triples - new[0])
    assert (new[5], new[6]) == (rows[5].triples - rows[4].triples, rows[6].triples)
    assert rows[0].new_items == rows[0].items


MADE = {2: "2026-01-31T12:00:00+00:00", 3: "2026-01-31T23:30:00+00:00", 5: "2026-02-02T00:00:00Z"}


@pytest.fixture
def made(tmp_path: Path) -> Layout:
    """A warehouse with only commit records. Two generation numbers are missing."""
    layout = Layout(tmp_path / "warehouse")
    for generation, moment in MADE.items():
        write_commit(layout, Commit(1, generation, "c", moment, ((1, 1),), {}, Totals()))
    return layout


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that sets the local time zone until the end of the test."""

    def local(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield local
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("as_of", "generation"),
    [
        (None, 5),
        (2, 2),
        ("3", 3),
        ("2026-01-31T12:00:00Z", 2),
        ("2026-01-31T14:30:00+02:30", 2),
        ("2026-01-31 23:29Z", 2),
        ("2026-01-31T23:30", 3),
        ("2026-02-01T05:29+06:00", 2),
        ("2026-01-31", 3),
        ("2026-02-01", 3),
        ("2026-02-02", 5),
        ("9999-12-31", 5),
    ],
)
def test_a_generation_is_found_by_number_or_time(
    made: Layout, zone: Callable[[str], None], as_of: AsOf | None, generation: int
) -> None:
    zone("UTC")
    assert commit_as_of(made, as_of).generation == generation


def test_a_time_without_a_zone_is_local(made: Layout, zone: Callable[[str], None]) -> None:
    zone("XYZ-3")  # three hours ahead of UTC
    assert commit_as_of(made, "2026-02-01T02:30").generation == 3
    assert commit_as_of(made, "2026-02-01T02:29").generation == 2
    assert commit_as_of(made, "2026-01-31").generation == 2


@pytest.mark.parametrize("as_of", [0, 4, "6", "99999999999999999999"])
def test_an_unknown_number_is_not_found(made: Layout, as_of: AsOf) -> None:
    with pytest.raises(NotFound, match="3 generations, from 2 to 5"):
        commit_as_of(made, as_of)


def test_a_time_before_the_first_generation_is_not_found(made: Layout) -> None:
    with pytest.raises(NotFound, match=r"2, was committed at 2026-01-31T12:00:00\+00:00"):
        commit_as_of(made, "2026-01-31T11:59:59Z")


@pytest.mark.parametrize("as_of", ["", "yesterday", "-1", "1.5", "2026-02-30", "0001-01-01T00:00"])
def test_text_that_is_no_generation_is_refused(made: Layout, as_of: str) -> None:
    with pytest.raises((UsageError, NotFound)) as error:
        commit_as_of(made, as_of)
    assert as_of.startswith("0001") or isinstance(error.value, UsageError)

"""Shared derivations: every question gives the same answer as if all triples were stored."""

import os
import tracemalloc
from collections.abc import Callable
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from helpers.oracle import Oracle, Triple
from helpers.shared import Input, Shared, plain, random_trace, write
from helpers.warehouse import House, content
from provhouse.ingest.from_arrow import from_arrow
from provhouse.ingest.steps import cut_components as cut
from provhouse.ingest.steps import read
from provhouse.model.progress import Silent
from provhouse.model.question import Direction, Method, Question
from provhouse.query.exporting.browser_view import write_view
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.path import path

Houses = Callable[..., House]
SEED = int(os.environ.get("SEED", "1"))
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


@pytest.mark.long
@pytest.mark.parametrize(
    ("theta", "parts", "count"),
    [
        (3, 2, 1),
        pytest.param(3, 3, 3, marks=pytest.mark.long),
        pytest.param(8, 1, 40, marks=pytest.mark.long),
        pytest.param(2, 3, 40, marks=pytest.mark.long),
    ],
)
def test_all_methods_answer_as_if_written_out(
    houses: Houses, monkeypatch: pytest.MonkeyPatch, theta: int, parts: int, count: int
) -> None:
    """Answers on random traces, ingested in one or three parts, are compared with networkx."""
    monkeypatch.setattr(read, "BUCKET_BYTES", 2_000)
    monkeypatch.setattr(cut, "RANGE_TRIPLES", 300)
    house = houses(theta=theta, pack=0, partition_triples=50)
    traces = [random_trace(SEED * 1_000 + theta * 100 + n) for n in range(count)]
    _take_in(house, traces, parts)
    with house.asker() as asker:
        for turn, (triples, groups) in enumerate(traces):
            _compare(asker, triples, groups, turn)
    house.check_deep()


def _take_in(house: House, traces: list[tuple[list[Triple], list[Shared]]], parts: int) -> None:
    units = [[plain(triple)] for triples, _ in traces for triple in triples]
    units += [group.rows() for _, groups in traces for group in groups]
    random = Random(house.theta)
    random.shuffle(units)
    for part in range(parts):
        rows = [row for unit in units[part::parts] for row in unit]
        if part:  # some derivations are ingested again
            before = units[part - 1 :: parts]
            again = random.sample(before, min(20, len(before) // 2))
            rows += [row for unit in again for row in unit]
        random.shuffle(rows)
        path = write(house.settings.warehouse.parent / f"{part}.csv", rows)
        assert house.ingest_files(path).rejected == 0


def _compare(asker: Asker, triples: list[Triple], groups: list[Shared], turn: int) -> None:
    every = triples + [triple for group in groups for triple in group.triples()]
    oracle, random = Oracle.of(every), Random(turn)
    items = sorted({end for triple in every for end in triple[:2]})
    for direction in DIRECTIONS:
        for number, depth in enumerate((None, 1, random.randint(2, 4))):
            item = random.choice(items)
            expected = oracle.ask(item, direction, depth)
            others: list[Method] = ["rq", "ccprov"] if turn % 15 == number * 5 else []
            for method in ("csprov", *others):
                answer = asker.ask(item, direction, method, depth)
                assert content(answer) == expected, (turn, item, direction, depth, method)


@pytest.mark.long
def test_a_window_is_stored_with_an_entry_for_each_row_and_each_peer(houses: Houses) -> None:
    """A window of 3,000 rows, each with 3,000 peers, stands for nine million triples."""
    house, count = houses(), 3_000
    numbers = pa.array(np.arange(count)).cast(pa.string())
    peers, rows = (pc.binary_join_element_wise(end, numbers, "/") for end in ("peer", "row"))
    none = pa.nulls(count, pa.string())
    inputs = {"src": peers, "dst": none, "op": pa.repeat("max", count)}
    uses = {"src": none, "dst": rows, "op": none}
    window = pa.concat_tables(map(pa.table, (inputs, uses)))
    window = window.append_column("shared", pa.repeat("w", 2 * count))
    window = window.append_column(
        "op_kind", pa.concat_arrays([pa.repeat("aggregate", count), none])
    )
    total = {"src": rows, "dst": pa.repeat("total", count), "op": pa.repeat("sum", count)}
    trace = pa.concat_tables([window, pa.table(total)], promote_options="default")
    summary = from_arrow(trace, house.settings, progress=Silent())
    assert (summary.triples, summary.items) == (count * count + count, 2 * count + 1)
    assert house.commit.totals.triples == 3 * count
    with house.asker() as asker:
        answer = asker.ask("row/7", "upstream")
        assert set(answer.triples["dst"].to_pylist()) == {"row/7"}
        assert set(answer.triples["src"].to_pylist()) == set(peers.to_pylist())
        assert set(answer.items["depth"].to_pylist()) == {1}
        assert asker.ask("peer/0", "downstream", depth=1).triples.num_rows == count
        tracemalloc.start()
        try:
            few = asker.answer(Question("total", "upstream", limit=count + 2))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert few.triples.num_rows == 3 * count  # two peers and all rows
        assert peak < 8 * count * count  # less than one number for each triple


LATER = (
    (Question("d", "upstream", tables=("in",)), {("a", "c"), ("b", "c")}),
    (Question("d", "upstream", ops=("sum",)), {("a", "c"), ("b", "c")}),
    (Question("d", "upstream", through="in", depth=2), {("c", "d"), ("a", "c"), ("b", "c")}),
    (Question("d", "upstream", ends=True), {("a", "c"), ("b", "c")}),
    (Question("a", "downstream", limit=1), {("a", "c")}),
    (Question("d", "upstream", limit=2), {("c", "d"), ("a", "c")}),
)


@pytest.fixture(scope="module")
def small(houses: Houses, tmp_path_factory: pytest.TempPathFactory) -> House:
    """A warehouse in which c and e share a derivation, and d derives from c."""
    house = houses()
    inputs = (Input("a", "sum", "1", "in"), Input("b", "sum", "2", "in"))
    group = Shared("1", "aggregate", inputs, ("c", "e"), "out")
    rows = [*group.rows(), plain(Triple("c", "d", "copy", "out", "last"))]
    house.ingest_files(write(tmp_path_factory.mktemp("small") / "t.csv", rows))
    return house


@pytest.mark.parametrize(("question", "triples"), LATER)
def test_filters_see_the_triples_written_out(
    small: House, question: Question, triples: set[tuple[str, str]]
) -> None:
    with small.asker() as asker:
        answer = asker.answer(question)
    found = {(row["src"], row["dst"]) for row in answer.triples.to_pylist()}
    assert found == triples
    ends = {end for pair in triples for end in pair}
    assert set(answer.items["item"].to_pylist()) <= ends | {"a", "b", "c", "d"}


@pytest.mark.long
def test_paths_and_summaries_see_the_triples_written_out(small: House) -> None:
    with small.asker() as asker:
        found = path(asker, "a", "d")
        assert found.hops == 2
        assert [(r["src"], r["dst"]) for r in found.triples.to_pylist()] == [("a", "c"), ("c", "d")]
        assert path(asker, "b", "e", every=True).triples.num_rows == 1
        counts = asker.answer(Question("a", "downstream", summary=True)).counts
        assert counts
        assert counts.ops.to_pylist() == [
            {"op": "sum", "triples": 2},
            {"op": "copy", "triples": 1},
        ]
        view = write_view(asker, Question("d", "upstream", sets=True))
        assert (view.items, view.nodes, view.relationships) == (3, 4, 3)

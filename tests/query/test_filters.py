"""Filters give the same result as a naive search in plain Python, for any graph and any filters."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.filter_oracle import Filtered, Step, Trace, random_question, random_trace, text
from provhouse.model.answer import MissingKeys, Read
from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.attributes import as_object
from provhouse.model.question import Question
from provhouse.query.lineage.named_rows import count_rows, name_rows
from provhouse.query.lineage.row_filters import apply_filters
from provhouse.query.methods.method import MethodResult, near_and_far
from provhouse.query.reading.recurse import recurse
from provhouse.store.names.names import Names, Span
from provhouse.store.names.segments import BATCH, names_file, write_names

Store = Callable[[Trace], Names]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A function that stores the names of the items in a trace, and opens them for look-ups.

    The items are numbered from 1, in an order other than that of their names.
    """

    def write(stored: Trace) -> Names:
        folder = tmp_path_factory.mktemp("names")
        names = order(stored)
        texts, tables = pa.array(names), pa.array([stored.tables[name] for name in names])
        write_names(folder / names_file(1, 1), texts, tables)
        return Names(folder, [Span(1, 1, len(names))])

    return write


def order(stored: Trace) -> list[str]:
    return sorted(stored.tables, key=lambda name: name[::-1])


def find_all(stored: Trace, question: Question) -> tuple[MethodResult, ItemNumber]:
    """Return all items and triples that a method could find, and the number of the asked item."""
    number = {name: n for n, name in enumerate(order(stored), 1)}
    steps = sorted(stored.steps)
    triples = pa.table({
        "src": pa.array([number[step.src] for step in steps], pa.int64()),
        "dst": pa.array([number[step.dst] for step in steps], pa.int64()),
        "op": pa.array([step.op for step in steps], pa.string()),
        "attributes": pa.array([as_object(step.attributes) for step in steps], pa.string()),
    })  # fmt: skip
    item = ItemNumber(number[question.item])
    reached = recurse(*near_and_far(triples, question.direction), item, question.depth)
    kept = triples.take(pa.array(reached.triples))
    items, unexpanded = ItemNumbers(reached.items), ItemNumbers(reached.unexpanded)
    return MethodResult(
        items, reached.depths, kept, reached.near_depths, unexpanded, Read(0, 0, 0)
    ), item


def answered(stored: Trace, question: Question, names: Names) -> Filtered:
    found, item = find_all(stored, question)
    shown = apply_filters(found, ItemNumbers(np.array([item])), question, names)
    assert shown.hidden == len(found.items) - len(shown.result.items)
    items, triples = name_rows(shown.result, names)
    rows = [(row["item"], row["table"], row["depth"]) for row in items.to_pylist()]
    steps = [tuple(row.values()) for row in triples.to_pylist()]
    assert len(set(steps)) == len(steps)
    return Filtered(rows, set(steps), shown.truncated)


@pytest.mark.long
@given(st.integers(0, 2**32))
def test_filters_equal_sets_and_loops(store: Store, seed: int) -> None:
    random = Random(seed)
    stored = random_trace(random, "i", random.randint(1, 12), random.randint(1, 25))
    names = store(stored)
    for _ in range(6):
        question = random_question(random, stored.tables)
        assert answered(stored, question, names) == stored.ask(question), f"{seed}: {question}"


@given(st.integers(0, 2**32))
def test_a_summary_counts_the_filtered_rows(store: Store, seed: int) -> None:
    random = Random(seed)
    stored = random_trace(random, "i", random.randint(1, 12), random.randint(1, 25))
    names, question = store(stored), random_question(random, stored.tables)
    found, item = find_all(stored, question)
    counts = count_rows(
        apply_filters(found, ItemNumbers(np.array([item])), question, names).result, names
    )
    expected = stored.ask(question)
    tables = {
        (table, len(depths), min(depths), max(depths))
        for table in {table for _, table, _ in expected.items}
        if (depths := [depth for _, other, depth in expected.items if other == table])
    }
    ops = [op for _, _, op, _ in expected.triples]
    assert [tuple(row.values()) for row in counts.tables.to_pylist()] == sorted(
        tables, key=lambda row: (row[2], row[0])
    )
    assert [tuple(row.values()) for row in counts.ops.to_pylist()] == sorted(
        {(op, ops.count(op)) for op in ops}, key=lambda row: (-row[1], row[0])
    )


ODD = [
    'a"b',
    "a\\",
    '","by":"x',
    "{",
    "}",
    ".*",
    "[x]",
    "a|b",
    "é\x7f\u2028",
    "\n\t\x00",
    "",
    " ",
    ":",
]


@pytest.mark.parametrize("key", [":", "by", 'b"y', "b.y", "by\\", "é", ","])
def test_attribute_values_match_exactly(store: Store, key: str) -> None:
    """A condition on an attribute compares complete values.

    It does not compare keys, pairs or patterns.
    """
    rows = [{key: value, **other} for value in ODD for other in ({}, {"aa": value, "zz": "x"})]
    rows += [{"aa": f'{key}":"{value}', "zz": f'"{key}":"{value}"'} for value in ODD]
    rows += [{f'x"{key}': ",", "zz": ","}, {"a,": ":", "b": ","}, {}]
    stored = Trace(frozenset(Step("a", "b", str(n)) for n in range(len(rows))), {"a": "", "b": ""})
    names, question = store(stored), Question("b", "upstream")
    found, item = find_all(stored, question)
    texts = [as_object(rows[int(op)]) for op in found.triples["op"].to_pylist()]
    found = replace(found, triples=found.triples.set_column(3, "attributes", pa.array(texts)))
    for value in [*ODD, ",", "x"]:
        asked = replace(question, where=((key, value),))
        kept = (
            apply_filters(found, ItemNumbers(np.array([item])), asked, names)
            .result.triples["op"]
            .to_pylist()
        )
        assert {*kept} == {str(n) for n, row in enumerate(rows) if row.get(key) == value}


def test_a_time_matches_in_any_form(store: Store) -> None:
    stored = Trace(frozenset([Step("a", "b", "x", by="2013-01-01T05:00:00")]), {"a": "", "b": ""})
    question = Question("b", "upstream", where=(("by", "2013-01-01 05:00:00.000"),))
    assert len(answered(stored, question, store(stored)).items) == 1


def test_a_limit_among_equally_distant_items_takes_the_first_names(store: Store) -> None:
    """The number of items at the same distance exceeds a batch of names."""
    many = [f"{n:05}" for n in range(3 * BATCH)]
    stored = Trace(
        frozenset(Step(name, "b") for name in many), {**dict.fromkeys(many, ""), "b": ""}
    )
    answer = answered(stored, Question("b", "upstream", limit=BATCH), store(stored))
    assert [name for name, _, _ in answer.items] == many[:BATCH]
    assert answer.triples == {(name, "b", "", text({})) for name in many[:BATCH]}
    assert answer.truncated == "limit"


def test_an_item_with_triples_beyond_the_depth_is_no_source(store: Store) -> None:
    stored = Trace(
        frozenset([Step("a", "b"), Step("b", "c"), Step("s", "c")]), dict.fromkeys("abcs", "")
    )
    question = Question("c", "upstream", depth=1, ends=True)
    assert answered(stored, question, store(stored)) == Filtered(
        [("s", "", 1)], {("s", "c", "", "{}")}, "depth"
    )


def test_a_key_that_no_triple_has_is_named_with_the_keys_there_are(store: Store) -> None:
    stored = random_trace(Random(3), "i", 12, 40)
    item = next(i for i in stored.tables if find_all(stored, Question(i, "upstream"))[0].triples)
    plain = Question(item, "upstream")
    found, number = find_all(stored, plain)
    names = store(stored)

    def missing(*where: tuple[str, str]) -> object:
        return apply_filters(
            found, ItemNumbers(np.array([number])), replace(plain, where=where), names
        ).missing_keys

    keys = {k for t in found.triples["attributes"].to_pylist() for k in json.loads(t or "{}")}
    assert missing(("no such key", "1")) == MissingKeys(("no such key",), tuple(sorted(keys)))
    assert missing() is None
    for key in keys:
        assert missing((key, "no such value")) is None

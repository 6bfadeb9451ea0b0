"""Polynomials of rows in several semirings, compared with brute force over derivations."""

import math
import operator
import random
from collections.abc import Mapping
from functools import partial, reduce
from itertools import product
from typing import Any

import pytest

from provhouse.interactive import connect
from provhouse.interactive.polynomial import Polynomial, RecordTerm

SEMIRINGS: dict[str, dict[str, Any]] = {
    "boolean": {"plus": operator.or_, "times": operator.and_, "zero": False, "one": True},
    "counting": {"plus": operator.add, "times": operator.mul, "zero": 0, "one": 1},
    "tropical": {"plus": min, "times": operator.add, "zero": math.inf, "one": 0},
    "viterbi": {"plus": max, "times": operator.mul, "zero": 0.0, "one": 1.0},
}
VALUES: dict[str, list[Any]] = {
    "boolean": [True, False],
    "counting": [0, 1, 2, 3],
    "tropical": [0, 1, 5, math.inf],
    "viterbi": [0.0, 0.25, 0.5, 1.0],
}


def _value(given: Mapping[int, Any], record: RecordTerm) -> Any:
    return given[record.rid]


@pytest.fixture(scope="module")
def walks() -> dict[tuple[int, int], tuple[Polynomial, list[list[int]]]]:
    """Walks of three edges, by their two ends.

    For each pair of ends: the polynomial of its row, and the edges of each walk.
    """
    rng = random.Random(7)
    edges = [(rng.randrange(4), rng.randrange(4)) for _ in range(14)]
    con = connect()
    con.execute("create table e(a int, b int)")
    con.execute(f"insert into e values {', '.join(map(str, edges))}")
    query = "select x.a, z.b from e x join e y on x.b = y.a join e z on y.b = z.a"
    result = con.sql(query, lineage=True)
    rows = {tuple(each.values()): at for at, each in enumerate(result.to_arrow().to_pylist())}
    found: dict[tuple[int, int], list[list[int]]] = {}
    for three in product(range(len(edges)), repeat=3):
        (a, b), (c, d), (e, f) = (edges[at] for at in three)
        if b == c and d == e:
            found.setdefault((a, f), []).append([*three])
    assert set(rows) == set(found)
    return {ends: (result.how(rows[ends]), found[ends]) for ends in found}


@pytest.mark.parametrize("name", SEMIRINGS)
def test_values_are_those_of_all_derivations(
    walks: dict[tuple[int, int], tuple[Polynomial, list[list[int]]]], name: str
) -> None:
    rng, ring = random.Random(7), SEMIRINGS[name]
    for _ in range(5):
        given = {rid: rng.choice(VALUES[name]) for rid in range(14)}
        for how, derivations in walks.values():
            products = (reduce(ring["times"], map(given.__getitem__, each)) for each in derivations)
            value = how.evaluate(partial(_value, given), **ring)
            assert value == reduce(ring["plus"], products, ring["zero"])


def test_the_default_semiring_counts() -> None:
    con = connect()
    con.execute("create table t as select i % 2 k from range(7) r(i)")
    how = con.sql("select k, count(*) from t group by k order by k", lineage=True).how(0)
    assert how.evaluate(lambda record: 1) == 4
    assert how.evaluate(lambda record: record != RecordTerm("t", 0)) == 3


def test_a_derivation_that_occurs_often_is_added_as_often() -> None:
    con = connect()
    con.execute("create table t as select 1 a")
    query = " union all ".join(["select a from t"] * 5)
    how = con.sql(query, lineage=True).how(0)
    ring = {"plus": operator.add, "times": operator.mul, "zero": 0, "one": 1}
    assert how.evaluate(lambda record: 2, **ring) == how.evaluate(lambda record: 2) == 10

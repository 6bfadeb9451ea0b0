"""Polynomials of rows in several semirings, against brute force over derivations."""

import math
import operator
import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from provhouse.interactive import connect
from provhouse.interactive.polynomial import RecordTerm

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


@pytest.mark.parametrize("name", SEMIRINGS)
def test_values_are_those_of_all_derivations(name: str) -> None:
    rng = random.Random(7)
    con = connect()
    con.execute("create table e(a int, b int)")
    edges = [(rng.randrange(4), rng.randrange(4)) for _ in range(14)]
    con.execute(f"insert into e values {', '.join(map(str, edges))}")
    query = "select x.a, z.b from e x join e y on x.b = y.a join e z on y.b = z.a"
    result = con.sql(query, lineage=True)
    rows = list(zip(*result.to_arrow().to_pydict().values(), strict=True))
    found = [result.how(row) for row in range(len(rows))]
    ring = SEMIRINGS[name]
    for _ in range(5):
        values = [rng.choice(VALUES[name]) for _ in edges]
        for how, (first, last) in zip(found, rows, strict=True):
            expected = ring["zero"]
            for i, one in enumerate(edges):
                for j, two in enumerate(edges):
                    for k, three in enumerate(edges):
                        if one[0] == first and one[1] == two[0] and two[1] == three[0]:
                            if three[1] != last:
                                continue
                            path = ring["times"](ring["times"](values[i], values[j]), values[k])
                            expected = ring["plus"](expected, path)
            given = dict(enumerate(values))
            value = how.evaluate(partial(_value, given), **ring)
            assert value == expected


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

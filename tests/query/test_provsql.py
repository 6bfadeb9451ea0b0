"""Small published examples of ProvSQL get the same values as in ProvSQL.

ProvSQL (Senellart, Jachiet, Maniu, Ramusat: Provenance and probability management in PostgreSQL,
VLDB 2018) is a PostgreSQL extension. Its regression tests, in ``test/sql`` and ``test/expected`` of
github.com/PierreSenellart/provsql, contain queries and the values of their rows in several
semirings. Here, the derivations of these rows are written by hand, and the expected values come
from ProvSQL: ``sr_viterbi`` is trust, ``sr_minmax`` or ``security`` is access, ``sr_tropical`` is
cost, and ``sr_counting`` is count.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, count
from typing import NamedTuple

import pytest

from helpers.derivations import Row
from helpers.warehouse import House
from provhouse.model.semiring import Evaluating, Semiring
from provhouse.query.consequences.evaluation import CYCLE, evaluate
from provhouse.query.consequences.why import why
from provhouse.query.lineage.ask import Asker

LEVELS = ("unclassified", "restricted", "confidential", "secret", "top_secret")


class Person(NamedTuple):
    number: int
    name: str
    position: str
    city: str
    level: str


PERSONNEL = [
    Person(1, "John", "Director", "New York", "unclassified"),
    Person(2, "Paul", "Janitor", "New York", "restricted"),
    Person(3, "Dave", "Analyst", "Paris", "confidential"),
    Person(4, "Ellen", "Field agent", "Berlin", "secret"),
    Person(5, "Magdalen", "Double agent", "Paris", "top_secret"),
    Person(6, "Nancy", "HR", "Paris", "restricted"),
    Person(7, "Susan", "Analyst", "Berlin", "secret"),
]
"""The table of ``add_provenance.sql``."""
AGENTS = [
    Person(1, "Juma", "Director", "Nairobi", "unclassified"),
    Person(2, "Paul", "Janitor", "Nairobi", "restricted"),
    Person(3, "David", "Analyst", "Paris", "confidential"),
    Person(4, "Ellen", "Field agent", "Beijing", "secret"),
    Person(5, "Aaheli", "Double agent", "Paris", "top_secret"),
    Person(6, "Nancy", "HR", "Paris", "restricted"),
    Person(7, "Jing", "Analyst", "Beijing", "secret"),
]
"""The table of ``casestudy1.sql``."""
CYCLE_EDGES = {  # label: from, to, cost; the probability of each is 0.5
    "a": (1, 2, 3.0), "b": (2, 3, 4.0), "c": (3, 1, 1.0), "d": (3, 4, 5.0), "e": (1, 3, 10.0),
}  # fmt: skip
"""The table of ``recursion_equations.sql``."""
HOPS = {
    ("A", "B"): 2.0, ("B", "A"): 2.0, ("B", "C"): 3.0, ("C", "B"): 3.0,
    ("A", "C"): 7.0, ("C", "A"): 7.0, ("C", "D"): 4.0, ("D", "C"): 4.0,
}  # fmt: skip
"""The table of ``casestudy3_network.sql``, with the number of minutes of each hop."""


def shared_cities(table: str, people: list[Person]) -> Iterator[Row]:
    """Yield the derivations of two queries: cities with two people, and the count of each position.

    The queries are ``SELECT p1.city FROM people p1, people p2 WHERE p1.city = p2.city AND p1.id <
    p2.id GROUP BY p1.city`` and ``SELECT position, count(*) FROM people GROUP BY position``.
    """
    for one, other in combinations(people, 2):
        if one.city == other.city:
            for each in (one, other):
                pair = f"{one.number}-{other.number}"
                yield Row(f"{table}/{each.name}", f"{table} of {one.city}", "join", "", pair, "all")
    for each in people:
        source, position = f"{table}/{each.name}", f"{table}, {each.position}"
        yield Row(source, position, "count", "", "", "aggregate")


def recursion(
    table: str, edges: Mapping[str, tuple[object, object]], *starts: object
) -> Iterator[Row]:
    """Yield the derivations of the nodes of ``WITH RECURSIVE reach``.

    For each edge, the end node derives from the edge and from its start node. The edges out of
    ``starts`` are the first part of the union. The end node of such an edge also derives from the
    edge alone.
    """
    numbers = count()
    for label, (begin, end) in edges.items():
        node, edge = f"{table} node {end}", f"{table}/{label}"
        way = str(next(numbers))
        yield Row(edge, node, "step", "", way, "all")
        yield Row(f"{table} node {begin}", node, "step", "", way, "all")
        if begin in starts:
            yield Row(edge, node, "start", "", str(next(numbers)), "all")


@pytest.fixture(scope="module")
def asker(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Asker]:
    rows = [
        *shared_cities("personnel", PERSONNEL),
        *shared_cities("agents", AGENTS),
        *recursion("edges", {name: (a, b) for name, (a, b, _) in CYCLE_EDGES.items()}, 1),
        *recursion("hops", {f"{a}->{b}": (a, b) for a, b in HOPS}),
        Row("start", "hops node A", "SELECT 'A'", "", "first", "all"),
    ]
    path = tmp_path_factory.mktemp("provsql") / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Row._fields, *rows])
    house = houses()
    house.ingest_files(path)
    with house.asker() as opened:
        yield opened


def value(
    asker: Asker, item: str, semiring: Semiring, weights: Mapping[str, float]
) -> float | None:
    found = evaluate(asker, Evaluating(item, semiring, weights))
    assert found.low == found.high
    assert found.reason in (None, CYCLE)
    return found.low


def people(table: str, persons: list[Person], of: Callable[[Person], float]) -> dict[str, float]:
    return {f"{table}/{each.name}": of(each) for each in persons}


def test_access_is_that_of_security_and_minmax(asker: Asker) -> None:
    for table, persons, expected in (
        ("personnel", PERSONNEL,  # security.out
         {"Berlin": "secret", "New York": "restricted", "Paris": "confidential"}),
        ("agents", AGENTS,  # casestudy1.out
         {"Beijing": "secret", "Nairobi": "restricted", "Paris": "confidential"}),
    ):  # fmt: skip
        weights = people(table, persons, lambda each: float(LEVELS.index(each.level)))
        for city, level in expected.items():
            assert value(asker, f"{table} of {city}", "access", weights) == LEVELS.index(level)


def test_trust_is_that_of_viterbi(asker: Asker) -> None:
    weights = people("personnel", PERSONNEL, lambda each: 0.5**each.number)
    for city, expected in (("Berlin", 0.000488), ("New York", 0.125), ("Paris", 0.003906)):
        found = value(asker, f"personnel of {city}", "trust", weights)
        assert found is not None
        assert round(found, 6) == expected  # sr_viterbi.out


def test_cost_is_that_of_tropical(asker: Asker) -> None:
    weights = people("personnel", PERSONNEL, lambda each: float(each.number))
    for city, expected in (("Berlin", 11), ("New York", 3), ("Paris", 8)):  # sr_tropical.out
        assert value(asker, f"personnel of {city}", "cost", weights) == expected


def test_count_is_that_of_counting(asker: Asker) -> None:
    for city, expected in (("Berlin", 1), ("New York", 1), ("Paris", 3)):  # counting.out
        assert value(asker, f"personnel of {city}", "count", {}) == expected


def test_derivations_are_those_of_the_formula(asker: Asker) -> None:
    """The formulas are in formula.out and aggregation.out, with other symbols.

    ``δ`` is the group's op.
    """
    for item, expected in (
        ("of Berlin", {("Ellen", "Susan")}),
        ("of New York", {("John", "Paul")}),
        ("of Paris", {("Dave", "Nancy"), ("Dave", "Magdalen"), ("Magdalen", "Nancy")}),
    ):
        rows = why(asker, f"personnel {item}", 100).derivations.to_pylist()
        assert {row["kind"] for row in rows} == {"all"}
        found = {tuple(sorted(name.removeprefix("personnel/") for name in row["inputs"]))
                 for row in rows}  # fmt: skip
        assert found == expected
    (row,) = why(asker, "personnel, Analyst", 100).derivations.to_pylist()
    assert (row["kind"], sorted(row["inputs"])) == (
        "aggregate", ["personnel/Dave", "personnel/Susan"],
    )  # fmt: skip


def test_a_group_is_delta_of_the_sum_of_its_rows(asker: Asker) -> None:
    """The formula is ``δ(Dave ⊕ Susan)`` in aggregation.out. In ProvSQL, δ of a count is 0 or 1."""
    analysts = "personnel, Analyst"
    assert value(asker, analysts, "count", {"personnel/Dave": 3.0}) == 1
    assert value(asker, analysts, "count", {"personnel/Dave": 0.0, "personnel/Susan": 0.0}) == 0
    assert value(asker, analysts, "cost", {"personnel/Dave": 3.0, "personnel/Susan": 7.0}) == 3


def test_cycles_are_those_of_recursive_queries(asker: Asker) -> None:
    """The values come from recursion_equations.sql. Node 1 is reached only around the cycle."""
    cost = {f"edges/{name}": float(price) for name, (_, _, price) in CYCLE_EDGES.items()}
    half = dict.fromkeys(cost, 0.5)
    expected = {2: (3, 0.5), 3: (7, 0.5), 1: (8, 0.25), 4: (12, 0.25)}
    for node, (price, likely) in expected.items():
        item = f"edges node {node}"
        assert value(asker, item, "cost", cost) == price
        assert value(asker, item, "trust", half) == likely
        assert value(asker, item, "count", {}) is None  # the number of derivations is infinite


def test_the_cheapest_journey_is_that_of_the_network(asker: Asker) -> None:
    """The expected minutes come from casestudy3_network.out."""
    minutes = {f"hops/{one}->{other}": time for (one, other), time in HOPS.items()}
    for station, expected in (("A", 0), ("B", 2), ("C", 5), ("D", 9)):
        assert value(asker, f"hops node {station}", "cost", minutes) == expected
        assert value(asker, f"hops node {station}", "count", {}) is None

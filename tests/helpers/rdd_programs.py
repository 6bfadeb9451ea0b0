"""Random programs on RDDs, and an interpreter that traces each record in plain Python.

A record is a pair: a key, which is a small number or None, and a string. A program runs on any
object with the methods of an RDD, including ``Followed``. A ``Followed`` is a list of records, each
with the file lines from which it derives.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

Line = tuple[str, int]
"""The name of a file, and the position of a line in it."""
Pair = tuple[int | None, str]
Files = dict[str, list[str]]
Opened = Callable[[str], Any]
"""A function that returns the lines of a file, as an RDD or as a ``Followed``."""


class Record(NamedTuple):
    """A record, and the lines from which it derives."""

    value: Any
    lines: frozenset[Line]


@dataclass(frozen=True)
class Followed:
    """The records of an RDD, each with the lines from which it derives."""

    records: Sequence[Record]

    @classmethod
    def of(cls, name: str, lines: Sequence[str]) -> "Followed":
        """Return the lines of a file as records."""
        return cls([Record(line, frozenset({(name, at)})) for at, line in enumerate(lines)])

    def map(self, f: Callable[[Any], Any]) -> "Followed":
        return Followed([Record(f(value), lines) for value, lines in self.records])

    def flatMap(self, f: Callable[[Any], Iterable[Any]]) -> "Followed":
        return Followed([Record(each, lines) for value, lines in self.records for each in f(value)])

    def filter(self, f: Callable[[Any], bool]) -> "Followed":
        return Followed([each for each in self.records if f(each.value)])

    def union(self, other: "Followed") -> "Followed":
        return Followed([*self.records, *other.records])

    def mapValues(self, f: Callable[[Any], Any]) -> "Followed":
        return self.map(lambda pair: (pair[0], f(pair[1])))

    def flatMapValues(self, f: Callable[[Any], Iterable[Any]]) -> "Followed":
        return self.flatMap(lambda pair: [(pair[0], each) for each in f(pair[1])])

    def keys(self) -> "Followed":
        return self.map(lambda pair: pair[0])

    def cogroup(self, *others: "Followed") -> "Followed":
        every = (self, *others)
        found: defaultdict[Any, list[list[Record]]] = defaultdict(lambda: [[] for _ in every])
        for side, each in enumerate(every):
            for (key, value), lines in each.records:
                found[key][side].append(Record(value, lines))
        return Followed(
            [
                Record((key, tuple([value for value, _ in side] for side in sides)), _all(*sides))
                for key, sides in found.items()
            ]
        )

    def groupByKey(self) -> "Followed":
        return self.cogroup().mapValues(lambda sides: sides[0])

    def reduceByKey(self, f: Callable[[Any, Any], Any]) -> "Followed":
        return self.groupByKey().mapValues(lambda values: _folded(f, values))

    def aggregateByKey(self, zero: Any, add: Any, join: Any) -> "Followed":
        return self.groupByKey().mapValues(lambda values: _folded(add, [zero, *values]))

    def distinct(self) -> "Followed":
        return self.map(lambda value: (value, None)).groupByKey().keys()

    def groupBy(self, f: Callable[[Any], Any]) -> "Followed":
        return self.map(lambda value: (f(value), value)).groupByKey()

    def join(self, other: "Followed") -> "Followed":
        return self._joined(other, False, False)

    def leftOuterJoin(self, other: "Followed") -> "Followed":
        return self._joined(other, True, False)

    def rightOuterJoin(self, other: "Followed") -> "Followed":
        return self._joined(other, False, True)

    def fullOuterJoin(self, other: "Followed") -> "Followed":
        return self._joined(other, True, True)

    def _joined(self, other: "Followed", left: bool, right: bool) -> "Followed":
        found = list[Record]()
        none = Record((None, None), frozenset())
        for key in {each.value[0] for each in (*self.records, *other.records)}:
            ones = [each for each in self.records if each.value[0] == key]
            others = [each for each in other.records if each.value[0] == key]
            for one in ones or [none] * right:
                for two in others or [none] * left:
                    value = key, (one.value[1], two.value[1])
                    found.append(Record(value, one.lines | two.lines))
        return Followed(found)

    def subtractByKey(self, other: "Followed") -> "Followed":
        keys = {each.value[0] for each in other.records}
        return Followed([each for each in self.records if each.value[0] not in keys])

    def subtract(self, other: "Followed") -> "Followed":
        values = {each.value for each in other.records}
        return Followed([each for each in self.records if each.value not in values])

    def intersection(self, other: "Followed") -> "Followed":
        sides = self.map(lambda v: (v, v)).cogroup(other.map(lambda v: (v, v)))
        return sides.filter(lambda pair: all(pair[1])).keys()

    def cartesian(self, other: "Followed") -> "Followed":
        pairs = product(self.records, other.records)
        return Followed([Record((a.value, b.value), a.lines | b.lines) for a, b in pairs])

    def same(self, *_: Any, **__: Any) -> "Followed":
        """Return the same records. Spark may move them between partitions."""
        return self

    sortBy = sortByKey = repartition = coalesce = partitionBy = cache = same

    def zipWithIndex(self) -> "Followed":
        return self.map(lambda value: (value, 0))


def _all(*sides: Iterable[Record]) -> frozenset[Line]:
    return frozenset().union(*(each.lines for side in sides for each in side))


def _folded(f: Callable[[Any, Any], Any], values: Iterable[Any]) -> Any:
    first, *others = values
    for other in others:
        first = f(first, other)
    return first


Program = Callable[[Opened], Any]
"""A function that makes an RDD, or a ``Followed``, from files."""


def files(rng: random.Random) -> Files:
    """Return the lines of two small files. Some lines are empty, and some are duplicates."""
    lines = ["", "a", "b", "1 a", "1 b", "2 a", "2", "-1 a", "-2 a", "3 b", "1 a"]
    return {name: [rng.choice(lines) for _ in range(rng.randrange(3, 12))] for name in ("t", "u")}


def pair(line: str) -> Pair:
    """Return the record of a line. For a line without a number, the key is None."""
    number, _, text = line.rpartition(" ")
    return (int(number), text) if number else (None, text)


def _text(value: Any) -> str:
    """Return a short string for a value, regardless of the order of elements in lists."""
    if isinstance(value, str | int | None):
        return str(value)[:3]
    return "".join(sorted(map(_text, value)))[:6]


def _order(record: Pair) -> tuple[bool, int, str]:
    return record[0] is None, record[0] or 0, record[1]


ONE: list[Callable[[Any], Any]] = [
    lambda r: r.map(lambda p: (p[0], p[1][1:] + "x")),
    lambda r: r.map(lambda p: (len(p[1]), str(p[0]))),
    lambda r: r.filter(lambda p: p[0] != 1),
    lambda r: r.flatMap(lambda p: [p, (p[0], p[1] + "+")][: len(p[1])]),
    lambda r: r.mapValues(lambda v: v[::-1]),
    lambda r: r.flatMapValues(lambda v: [v, v.upper()]),
    lambda r: r.distinct(),
    lambda r: r.reduceByKey(min),
    lambda r: r.reduceByKey(max),
    lambda r: r.aggregateByKey("", max, max),
    lambda r: r.groupByKey().mapValues(_text),
    lambda r: r.groupByKey().flatMapValues(sorted),
    lambda r: r.groupBy(lambda p: len(p[1])).mapValues(_text),
    lambda r: r.sortBy(_order),
    lambda r: r.sortBy(_order, False, 3),
    lambda r: r.map(lambda p: (_order(p), p)).sortByKey().map(lambda p: p[1]),
    lambda r: r.repartition(3),
    lambda r: r.coalesce(1),
    lambda r: r.partitionBy(2),
    lambda r: r.cache(),
    lambda r: r.zipWithIndex().map(lambda p: p[0]),
    lambda r: r.union(r),
    lambda r: r.join(r).mapValues(_text),
]
TWO: list[Callable[[Any, Any], Any]] = [
    lambda r, s: r.union(s),
    lambda r, s: r.join(s).mapValues(_text),
    lambda r, s: r.leftOuterJoin(s).mapValues(_text),
    lambda r, s: r.rightOuterJoin(s).mapValues(_text),
    lambda r, s: r.fullOuterJoin(s).mapValues(_text),
    lambda r, s: r.cogroup(s).mapValues(_text),
    lambda r, s: r.subtractByKey(s),
    lambda r, s: r.subtract(s),
    lambda r, s: r.intersection(s),
    lambda r, s: r.cartesian(s).filter(lambda two: two[0] < two[1] if None not in
                                       (two[0][0], two[1][0]) else False).map(lambda two: two[1]),
]  # fmt: skip


def program(rng: random.Random, steps: int) -> Program:
    """Return a random program of ``steps`` steps."""
    if not steps:
        name = rng.choice("tu")
        return lambda opened: opened(name).map(pair)
    if rng.random() < 0.35:
        apply, split = rng.choice(TWO), rng.randrange(steps)
        left, right = program(rng, steps - 1 - split), program(rng, split)
        return lambda opened: apply(left(opened), right(opened))
    step, before = rng.choice(ONE), program(rng, steps - 1)
    return lambda opened: step(before(opened))

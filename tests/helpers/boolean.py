"""Derivations, evaluated by brute force for each possible meaning of an unknown kind."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import NamedTuple

SURE = ("all", "any", "aggregate")


class Edge(NamedTuple):
    """A triple.

    ``way`` distinguishes the derivations of one dst. It is -1 for a triple that is in no
    derivation.
    """

    src: int
    dst: int
    kind: str = ""
    way: int = -1


@dataclass(frozen=True)
class Way:
    """A derivation: its dst, its kind, and the numbers of its edges."""

    dst: int
    kind: str
    edges: tuple[int, ...]


def ways_of(edges: list[Edge]) -> list[Way]:
    """Return the derivations that the given triples form."""
    groups: defaultdict[tuple[int, str, int, int], list[int]] = defaultdict(list)
    for number, edge in enumerate(edges):
        alone = number if edge.kind == "any" and edge.way < 0 else -1
        groups[edge.dst, edge.kind, edge.way, alone].append(number)
    return [Way(dst, kind, tuple(found)) for (dst, kind, *_), found in groups.items()]


def downstream(edges: list[Edge], items: Collection[int], ended: Collection[int]) -> set[int]:
    """Return the items that are downstream of a deletion, except the deleted items."""
    found = {edges[number].dst for number in ended}
    waiting = [*items, *found]
    while waiting:
        at = waiting.pop()
        for number, edge in enumerate(edges):
            if edge.src == at and number not in ended and edge.dst not in found:
                found.add(edge.dst)
                waiting.append(edge.dst)
    return found - {*items}


@dataclass(frozen=True)
class Deleted:
    """A deletion of items and triples, given by their numbers, and the items downstream of it."""

    edges: list[Edge]
    items: Collection[int]
    ended: Collection[int]
    reached: Collection[int]
    """The items downstream of the deletion, without the deleted items."""

    @cached_property
    def ways(self) -> list[Way]:
        """The derivations of the reached items."""
        return [way for way in ways_of(self.edges) if way.dst in self.reached]

    def holds(self, way: Way, kind: str, found: Collection[int]) -> bool:
        """Return whether a derivation holds if ``found`` are all the reached items that exist."""
        inputs = [
            number not in self.ended
            and self.edges[number].src not in self.items
            and (self.edges[number].src in found or self.edges[number].src not in self.reached)
            for number in way.edges
        ]
        return all(inputs) if kind == "all" else any(inputs)

    def exists(self, meaning: Mapping[Way, str], given: Collection[int] = ()) -> set[int]:
        """Return the reached items that exist: ``given``, and those that can still be derived."""
        found = {*given}
        while True:
            now = {way.dst for way in self.ways if self.holds(way, meaning[way], found)} | {*given}
            if now == found:
                return found
            found = now

    def possible(self) -> set[int]:
        """Return the reached items that may exist, which are those that exist in some world.

        For a derivation of an unknown kind, one input is enough. Items without a valid derivation
        even before the deletion may exist for reasons that no triple records. A world is a choice
        of which of these items exist. Each such item must have a derivation that holds in the
        world. All other items exist only as far as they are derived.
        """
        meaning = {way: way.kind if way.kind in SURE else "any" for way in self.ways}
        before = Deleted(self.edges, (), (), self.reached)
        unsupported = sorted({*self.reached} - before.exists(meaning))
        found = set[int]()
        for chosen in product((False, True), repeat=len(unsupported)):
            given = {item for item, one in zip(unsupported, chosen, strict=True) if one}
            world = self.exists(meaning, given)
            held = {way.dst for way in self.ways if self.holds(way, meaning[way], world)}
            if given <= held:
                found |= world
        return found


def meanings(ways: list[Way]) -> Iterator[dict[Way, str]]:
    """Yield each combination of meanings of the derivations with an unknown kind."""
    unsure = [way for way in ways if way.kind not in SURE]
    for chosen in product(("any", "all"), repeat=len(unsure)):
        yield {**{way: way.kind for way in ways}, **dict(zip(unsure, chosen, strict=True))}


def fates(edges: list[Edge], deleted: Collection[int], ended: Collection[int]) -> dict[int, str]:
    """Return the fate of each item downstream of a deletion."""
    one = Deleted(edges, deleted, ended, downstream(edges, deleted, ended))
    after = [one.exists(meaning) for meaning in meanings(one.ways)]
    sure = {*one.reached}.intersection(*after)
    perhaps = one.possible().union(*after)
    return {
        item: "survives" if item in sure else "undecided" if item in perhaps else "dies"
        for item in one.reached
    }


def random_edges(random: Random, items: int = 9, count: int = 14, unsure: int = 5) -> list[Edge]:
    """Return random triples. Many have cycles, and few derivations have an unknown kind."""
    cyclic = random.random() < 0.5
    kinds: dict[tuple[int, int], str] = {}
    edges = []
    for _ in range(random.randint(1, count)):
        src, dst = random.randrange(items), random.randrange(items)
        if not cyclic:
            src, dst = min(src, dst), max(src, dst)
            if src == dst:
                continue
        way = random.choice([-1, 0, 1])
        if way < 0:
            edges.append(Edge(src, dst, random.choice(["", "any", "any"])))
            continue
        kind = kinds.setdefault(
            (dst, way), random.choice(["all", "all", "any", "aggregate", "function", "except", ""])
        )
        edges.append(Edge(src, dst, kind, way))
    few = sum(way.kind not in SURE for way in ways_of(edges)) <= unsure
    return edges if few and edges else random_edges(random, items, count, unsure)

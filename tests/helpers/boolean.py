"""Evaluate derivations by brute force, for each possible meaning of unknown kinds."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import NamedTuple

SURE = ("all", "any", "aggregate")


class Edge(NamedTuple):
    """A triple: ``way`` tells the derivations of one dst apart, and is -1 outside of any."""

    src: int
    dst: int
    kind: str = ""
    way: int = -1


@dataclass(frozen=True)
class Way:
    """A derivation: its kind, and the numbers of its edges."""

    dst: int
    kind: str
    edges: tuple[int, ...]


def ways_of(edges: list[Edge]) -> list[Way]:
    """Return the derivations of some triples."""
    groups: defaultdict[tuple[int, str, int, int], list[int]] = defaultdict(list)
    for number, edge in enumerate(edges):
        alone = number if edge.kind == "any" and edge.way < 0 else -1
        groups[edge.dst, edge.kind, edge.way, alone].append(number)
    return [Way(dst, kind, tuple(found)) for (dst, kind, *_), found in groups.items()]


def downstream(edges: list[Edge], items: Collection[int], ended: Collection[int]) -> set[int]:
    """Return the items that a deletion reaches, without the deleted items."""
    found = {edges[number].dst for number in ended}
    waiting = [*items, *found]
    while waiting:
        at = waiting.pop()
        for number, edge in enumerate(edges):
            if edge.src == at and number not in ended and edge.dst not in found:
                found.add(edge.dst)
                waiting.append(edge.dst)
    return found - {*items}


def exists(
    edges: list[Edge], ways: list[Way], meaning: Mapping[Way, str], reached: set[int],
    deleted: Collection[int], ended: Collection[int], *, greatest: bool = False,
) -> set[int]:  # fmt: skip
    """Return the items reached that exist, if each derivation has the given meaning.

    This is the least fixpoint, or the greatest one.
    """
    found = set(reached) if greatest else set[int]()

    def holds(way: Way) -> bool:
        inputs = [
            number not in ended
            and edges[number].src not in deleted
            and (edges[number].src in found or edges[number].src not in reached)
            for number in way.edges
        ]
        return all(inputs) if meaning[way] == "all" else any(inputs)

    while True:
        now = {item for item in reached if any(holds(way) for way in ways if way.dst == item)}
        if now == found:
            return found
        found = now


def meanings(ways: list[Way]) -> Iterator[dict[Way, str]]:
    """Yield each combination of meanings that derivations of an unknown kind may have."""
    unsure = [way for way in ways if way.kind not in SURE]
    for chosen in product(("any", "all"), repeat=len(unsure)):
        yield {**{way: way.kind for way in ways}, **dict(zip(unsure, chosen, strict=True))}


def fates(edges: list[Edge], deleted: Collection[int], ended: Collection[int]) -> dict[int, str]:
    """Return the fate of each item downstream of a deletion."""
    reached = downstream(edges, deleted, ended)
    ways = [way for way in ways_of(edges) if way.dst in reached]
    after, before, kept = [], [], []
    for meaning in meanings(ways):
        after.append(exists(edges, ways, meaning, reached, deleted, ended))
        before.append(exists(edges, ways, meaning, reached, (), ()))
        kept.append(exists(edges, ways, meaning, reached, deleted, ended, greatest=True))

    def fate(item: int) -> str:
        if all(item in found for found in after):
            return "survives"
        if any(item in found for found in after):
            return "undecided"
        # In no meaning is there support for it. Did the deletion take it away?
        taken = any(item in found for found in before) or not any(item in found for found in kept)
        return "dies" if taken else "undecided"

    return {item: fate(item) for item in reached}


def random_edges(random: Random, items: int = 9, count: int = 14, unsure: int = 5) -> list[Edge]:
    """Return random triples, often with cycles, with few derivations of an unknown kind."""
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

"""Random graphs of many shapes, each determined by a seed."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TypeAlias

from helpers.oracle import Triple

Edge: TypeAlias = tuple[int, int]


def dag(random: Random) -> list[Edge]:
    """Return edges from lower to higher numbers, often in several components."""
    items = random.randint(4, 30)
    return [pair(random, items, rising=True) for _ in range(random.randint(3, 2 * items))]


def tangle(random: Random) -> list[Edge]:
    """Return edges in random directions, which may form cycles and self-loops."""
    items = random.randint(3, 20)
    return [pair(random, items) for _ in range(random.randint(3, 2 * items))]


def loops(random: Random) -> list[Edge]:
    """Return a DAG with self-loops added to two of its items."""
    edges = dag(random)
    ends = [end for edge in edges for end in edge]
    return edges + [(item, item) for item in random.sample(sorted(set(ends)), 2)]


def rings(random: Random) -> list[Edge]:
    """Return a row of cycles. An edge leads from each cycle to the next."""
    edges, first = [], 0
    for _ in range(random.randint(1, 3)):
        size = random.randint(2, 9)
        edges += [(first + i, first + (i + 1) % size) for i in range(size)]
        edges += [(first + size - 1, first + size)]
        first += size
    return edges


def twins(random: Random) -> list[Edge]:
    """Return many edges between a few items. ``graph`` gives equal edges different ops."""
    items = random.randint(2, 6)
    return [pair(random, items) for _ in range(random.randint(10, 40))]


def star_in(random: Random) -> list[Edge]:
    """Return a star: one item derives from many items, and a chain of two items derives from it."""
    arms = random.randint(8, 50)
    return [(arm, 0) for arm in range(1, arms)] + [(0, arms), (arms, arms + 1)]


def star_out(random: Random) -> list[Edge]:
    """Return a star: one item derives from a chain of two items, and many items derive from it."""
    return [(dst, src) for src, dst in star_in(random)]


def layers(random: Random) -> list[Edge]:
    """Return layers of items. Each item derives from every item of the layer before."""
    wide, deep = random.randint(2, 6), random.randint(2, 5)
    return [
        (layer * wide + one, (layer + 1) * wide + other)
        for layer in range(deep)
        for one in range(wide)
        for other in range(wide)
    ]


def ladder(random: Random) -> list[Edge]:
    """Return a row of diamonds. Two paths lead through each diamond."""
    steps = range(random.randint(2, 6))
    return [(3 * n + a, 3 * n + b) for n in steps for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))]


def tree(random: Random) -> list[Edge]:
    """Return a tree: every item except the first derives from an earlier one."""
    return [(random.randrange(item), item) for item in range(1, random.randint(4, 40))]


def bundle(random: Random) -> list[Edge]:
    """Return short chains that have either their first item or their last item in common."""
    edges, item = [], 1
    for _ in range(random.randint(2, 5)):
        length = random.randint(1, 4)
        places = [0, *range(item, item + length)]
        edges += list(pairwise(places))
        item += length
    return edges if random.random() < 0.5 else [(dst, src) for src, dst in edges]


def pair(random: Random, items: int, rising: bool = False) -> Edge:
    """Return an edge between two random items. If ``rising``, it leads to the higher number."""
    one, other = random.randrange(items), random.randrange(items)
    return (one, max(other, one + 1)) if rising else (one, other)


SHAPES: tuple[Callable[[Random], list[Edge]], ...] = (
    dag, tangle, loops, rings, twins, star_in, star_out, layers, ladder, tree, bundle,
)  # fmt: skip


def no_table(random: Random, item: int) -> str:
    """Return the empty name, which stands for no table."""
    return ""


def band(random: Random, item: int) -> str:
    """Return the table of an item. Five consecutive items share a table."""
    return f"t{item // 5}"


def one_table(random: Random, item: int) -> str:
    """Return one table for all items, so that the table derives from itself."""
    return "t"


def any_table(random: Random, item: int) -> str:
    """Return a random table or none, so that tables derive from themselves and from each other."""
    return random.choice(["", "a", "b", "c", "d"])


TABLES: tuple[Callable[[Random, int], str], ...] = (no_table, band, one_table, any_table)


@dataclass(frozen=True)
class Graph:
    """Triples whose items are in no other graph, so that a warehouse can store many graphs."""

    seed: int
    shape: str
    triples: list[Triple]

    def __str__(self) -> str:
        return f"graph({self.seed}), {self.shape}, {len(self.triples)} triples"


def graph(seed: int) -> Graph:
    """Return the graph of a seed.

    Successive seeds go through all shapes and all kinds of tables.
    """
    random = Random(seed)
    shape = SHAPES[seed % len(SHAPES)]
    table = TABLES[(seed // len(SHAPES)) % len(TABLES)]
    edges = shape(random)
    tables = {item: table(random, item) for edge in edges for item in edge}
    ops = ["", "x"] if shape is not twins else [*"uvwxyz"]
    triples = [
        Triple(
            f"{seed}.{src}",
            f"{seed}.{dst}",
            random.choice(ops),
            tables[src] and f"{seed}.{tables[src]}",
            tables[dst] and f"{seed}.{tables[dst]}",
        )
        for src, dst in edges
    ]
    return Graph(seed, f"{shape.__name__} with {table.__name__}", triples)


def chain(length: int, tables: int = 0) -> Graph:
    """Return a chain of ``length`` triples. Its items are spread over ``tables`` tables."""
    named = [f"chain.t{n * tables // (length + 1)}" if tables else "" for n in range(length + 1)]
    triples = [
        Triple(f"chain.{n}", f"chain.{n + 1}", "next", named[n], named[n + 1])
        for n in range(length)
    ]
    return Graph(0, "chain", triples)

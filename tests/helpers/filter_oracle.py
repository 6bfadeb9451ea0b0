"""Filtered lineage, computed with loops over all triples: slow, but obviously correct."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import networkx as nx

from provhouse.model.answer import Answer
from provhouse.model.question import Question


class Step(NamedTuple):
    """A triple with two attributes. An empty string stands for a missing attribute."""

    src: str
    dst: str
    op: str = ""
    by: str = ""
    run: str = ""

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes that are not empty, by name."""
        return {key: value for key, value in (("by", self.by), ("run", self.run)) if value}

    def ends(self, upstream: bool) -> tuple[str, str]:
        """Return the two items of the step, the one nearer to the question's item first."""
        return (self.dst, self.src) if upstream else (self.src, self.dst)


class Filtered(NamedTuple):
    """A filtered answer: its items, in the answer's order, its triples, and where it was cut."""

    items: list[tuple[str, str, int]]
    triples: set[tuple[str, str, str, str]]
    truncated: str | None


@dataclass(frozen=True)
class Trace:
    """All steps of a trace, and the table of each item."""

    steps: frozenset[Step]
    tables: Mapping[str, str]

    def ask(self, question: Question) -> Filtered:
        """Return the filtered answer to a question."""
        upstream, item = question.direction == "upstream", question.item
        depths, steps, more = self._reached(item, upstream, question.depth)
        if question.through is not None:
            depths, steps = self._through(depths, steps, item, upstream, question.through)
        if question.ops:
            steps = {step for step in steps if step.op in question.ops}
        for key in {key for key, _ in question.where}:
            wanted = {value for other, value in question.where if other == key}
            steps = {step for step in steps if step.attributes.get(key) in wanted}
        items = set(depths)
        if question.ops or question.where:
            items &= {end for step in steps for end in step[:2]}
        if question.tables:
            items = {one for one in items if self.tables[one] in question.tables}
        if question.ends:
            items -= {step.ends(upstream)[0] for step in self.steps}
        steps = {step for step in steps if items & {*step[:2]}}
        order = sorted(items, key=lambda one: (depths[one], one))
        cut = {*order[question.limit :]} if question.limit else set()
        steps = {step for step in steps if not (cut - {item}) & {*step[:2]}}
        return Filtered(
            [(one, self.tables[one], depths[one]) for one in order if one not in cut],
            {(s.src, s.dst, s.op, text(s.attributes)) for s in steps},
            "limit" if cut else "depth" if more else None,
        )

    def _reached(
        self, item: str, upstream: bool, depth: int | None
    ) -> tuple[dict[str, int], set[Step], bool]:
        depths: dict[str, int] = {}
        steps: set[Step] = set()
        level, hops, seen = {item}, 0, {item}
        while level and hops != depth:
            out = {step for step in self.steps if step.ends(upstream)[0] in level}
            new = {step.ends(upstream)[1] for step in out} - depths.keys()
            steps, hops = steps | out, hops + 1
            depths.update(dict.fromkeys(new, hops))
            level, seen = new - seen, seen | new
        return depths, steps, any(step.ends(upstream)[0] in level for step in self.steps)

    def _through(
        self, depths: dict[str, int], steps: set[Step], item: str, upstream: bool, table: str
    ) -> tuple[dict[str, int], set[Step]]:
        """Return the items and the steps on paths that pass through ``table``.

        A node of the searched graph is a pair: an item, and whether the path to this item has
        passed through the table.
        """
        states: nx.MultiDiGraph[tuple[str, bool]] = nx.MultiDiGraph()
        start, goal = (item, False), ("", True)
        states.add_nodes_from([start, goal])
        for step in steps:
            near, far = step.ends(upstream)
            for passed in (False, True):
                after = (far, passed or self.tables[far] == table)
                states.add_edge((near, passed), after, step=step)
                if after[1]:
                    states.add_edge(after, goal)
        behind = nx.descendants(states, start) | {start}
        before = nx.ancestors(states, goal)
        edges = [
            (after[0], data["step"])
            for state, after, data in states.edges(data=True)
            if state in behind and after in before
        ]
        return {far: depths[far] for far, _ in edges}, {step for _, step in edges}


def text(attributes: Mapping[str, str]) -> str:
    """Return attributes as the JSON string in an answer. The values must not need JSON escapes."""
    return "{" + ",".join(f'"{key}":"{value}"' for key, value in attributes.items()) + "}"


def shown(answer: Answer) -> Filtered:
    """Return a real answer as a ``Filtered``; fail if an item or a triple occurs twice."""
    items = [(row["item"], row["table"], row["depth"]) for row in answer.items.to_pylist()]
    triples = [tuple(row.values()) for row in answer.triples.to_pylist()]
    assert len(set(items)) == len(items)
    assert len(set(triples)) == len(triples)
    return Filtered(items, set(triples), answer.truncated)


def random_trace(random: Random, prefix: str, items: int, steps: int) -> Trace:
    """Return a trace of random steps, some of which may be self-loops.

    In some traces, half of the steps lead from lower to higher item numbers. In other traces, nine
    tenths of them do.
    """
    back = random.choice([0.5, 0.1])

    def step() -> Step:
        low, high = sorted(random.choices(range(items), k=2))
        src, dst = (high, low) if random.random() < back else (low, high)
        ends = (f"{prefix}{src}", f"{prefix}{dst}")
        op, by = random.choice(["", "x", "y"]), random.choice(["", "a", "b"])
        return Step(*ends, op, by, random.choice(["", "1"]))

    made = frozenset(step() for _ in range(steps))
    held = sorted({end for step in made for end in step[:2]})
    return Trace(made, {name: random.choice(["", "s", "t", "u"]) for name in held})


def random_question(random: Random, names: Iterable[str]) -> Question:
    """Return a random question. Each kind of filter is often left out."""

    def some(*choices: str) -> tuple[str, ...]:
        return tuple(random.sample(choices, random.choice([0, 0, 0, 1, 2])))

    return Question(
        random.choice(sorted(names)),
        random.choice(["upstream", "downstream"]),
        depth=random.choice([None, None, None, 1, 2, 4]),
        through=random.choice([None, None, "s", "t", ""]),
        tables=some("", "s", "t", "u"),
        ops=some("", "x", "y"),
        where=tuple(zip(some("by", "run"), some("a", "b", "1"), strict=False)),
        ends=random.random() < 0.2,
        limit=random.choice([None, None, 1, 3]),
    )

"""Derivations of a trace and of a warehouse as Python sets, so that they can be compared."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import DESCRIPTION, TRIPLE
from provhouse.model.derivations import KINDS, ROLES
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout

JOINT = ("all", "aggregate", "function", "except")


class Row(NamedTuple):
    """A row of a trace, with the columns that describe derivations."""

    src: str
    dst: str
    op: str = ""
    by: str = ""
    derivation: str = ""
    op_kind: str = ""
    value: float | None = None
    times: int = 1
    role: str = ""
    invocation: str = ""

    @property
    def content(self) -> "Content":
        """The row's statement about its input, as a ``Content``."""
        role = "" if self.role == "input" else self.role
        return Content(self.src, self.op, self.by, self.value, self.times, role)


class Content(NamedTuple):
    """The statement of a row about one input of a derivation."""

    src: str
    op: str
    by: str
    value: float | None
    times: int
    role: str


class Derivation(NamedTuple):
    """A dst and the inputs that act together.

    ``alone`` marks a plain triple, which has only one input.
    """

    dst: str
    kind: str
    contents: frozenset[Content]
    alone: bool


def derivations(rows: Iterable[Row]) -> Counter[Derivation]:
    """Return the derivations that one ingest of one file adds. Each derivation counts once."""
    groups: defaultdict[tuple[object, ...], list[Content]] = defaultdict(list)
    for number, row in enumerate(rows):
        kind = "" if row.op_kind == "unknown" else row.op_kind
        if row.derivation:
            key: tuple[object, ...] = ("label", row.derivation)
        elif kind in JOINT:
            key = ("op", row.op, row.invocation)
        else:
            key = ("alone", number)
        groups[row.dst, kind, *key].append(row.content)
    return Counter(
        {
            Derivation(
                str(dst), str(kind),
                frozenset(added(contents) if kind == "aggregate" else contents), form == "alone",
            )
            for (dst, kind, form, *_), contents in groups.items()
        }
    )  # fmt: skip


def added(contents: list[Content]) -> list[Content]:
    """Return the contents of an aggregate. The ``times`` of repeated rows are added up."""
    alike: defaultdict[Content, list[Content]] = defaultdict(list)
    for one in contents:
        alike[one._replace(times=0)].append(one)
    found = list[Content]()
    for same in alike.values():
        repeated = len({*same}) < len(same)
        total = sum(one.times for one in same)
        found += [same[0]._replace(times=total)] if repeated else same
    return found


def without_item(before: Counter[Derivation], item: str) -> Counter[Derivation]:
    """Return the derivations that remain after an item is retracted."""
    left: Counter[Derivation] = Counter()
    for one, count in before.items():
        kept = frozenset(content for content in one.contents if content.src != item)
        gone = one.dst == item or not kept or (one.kind == "all" and kept != one.contents)
        if not gone:
            left[one._replace(contents=kept)] += count
    return left


@dataclass(frozen=True)
class _Names:
    kinds = {code: kind for kind, code in KINDS.items()} | {None: ""}
    roles = {code: role for role, code in ROLES.items()} | {None: ""}


def stored(folder: Path) -> Counter[Derivation]:
    """Return the live derivations of a warehouse. Fail if two inputs of a derivation are equal."""
    layout = Layout(folder)
    commit = current(layout)
    assert commit
    snapshot = Snapshot(layout, commit)
    groups: defaultdict[tuple[object, ...], list[Content]] = defaultdict(list)
    for partition in snapshot.partitions.tolist():
        rows = read_partition(snapshot.partition_path(partition), (*TRIPLE, *DESCRIPTION))
        dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
        ends = [ItemNumbers(np.asarray(rows[end])) for end in ("src", "dst")]
        src, dst = (snapshot.names.names(end).to_pylist() for end in ends)
        for at, row in enumerate(rows.to_pylist()):
            if dead[at]:
                continue
            by = json.loads(row["attributes"] or "{}").get("by", "")
            key = ("alone", partition, at) if row["way"] is None else ("way", row["way"])
            role = _Names.roles[row["role"]]
            content = Content(src[at], row["op"], by, row["value"], row["times"] or 1, role)
            groups[dst[at], _Names.kinds[row["kind"]], *key].append(content)
    found = Counter(
        Derivation(str(dst), str(kind), frozenset(contents), form == "alone")
        for (dst, kind, form, *_), contents in groups.items()
    )
    assert all(len(set(contents)) == len(contents) for contents in groups.values())
    return found


def random_rows(seed: int, count: int = 120) -> list[Row]:
    """Return random rows with and without derivations. Some rows repeat. The items form a DAG."""
    chance = Random(seed)
    rows = []
    for _ in range(count):
        dst = chance.randrange(2, 25)
        rows.append(
            Row(
                f"i{chance.randrange(dst)}",
                f"i{dst}",
                chance.choice(["join", "sum"]),
                chance.choice(["", "", "x"]),
                chance.choice(["", "", "1", "2", "3"]),
                chance.choice(["", "unknown", "all", "any", "aggregate", "function", "except"]),
                chance.choice([None, None, 0.5, -2.0, 1e300]),
                chance.choice([1, 1, 2]),
                chance.choice(["", "input", "state"]),
                chance.choice(["", "p", "q"]),
            )
        )
    return rows + chance.sample(rows, 20)

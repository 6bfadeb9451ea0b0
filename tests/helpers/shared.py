"""Traces with derivations that many dst share, and the equivalent plain triples."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from helpers.oracle import Triple

COLUMNS = ("src", "dst", "op", "src_table", "dst_table", "op_kind", "value", "shared")


class Input(NamedTuple):
    """An input of a shared derivation."""

    src: str
    op: str = ""
    value: str = ""
    table: str = ""


@dataclass(frozen=True)
class Shared:
    """A derivation, and the dst that share the derivation."""

    label: str
    kind: str
    inputs: tuple[Input, ...]
    uses: tuple[str, ...]
    table: str = ""
    """The table to which all dst belong."""

    def rows(self) -> list[tuple[str, ...]]:
        """Return the rows of a trace in which the dst share the derivation."""
        rows: list[tuple[str, ...]] = [
            (i.src, "", i.op, i.table, "", self.kind, i.value, self.label) for i in self.inputs
        ]
        return rows + [("", dst, "", "", self.table, "", "", self.label) for dst in self.uses]

    def triples(self) -> list[Triple]:
        """Return one triple from each input to each dst."""
        return [
            Triple(i.src, dst, i.op, i.table, self.table) for i in self.inputs for dst in self.uses
        ]


def write(path: Path, rows: Iterable[Sequence[str]]) -> Path:
    """Write the rows of a trace to a file with the columns ``COLUMNS``."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path


def plain(triple: Triple) -> tuple[str, ...]:
    """Return the row of a triple that is part of no derivation."""
    return (*triple, "", "", "")


def random_trace(seed: int) -> tuple[list[Triple], list[Shared]]:
    """Return plain triples and shared derivations between the same few items.

    The triples may form cycles. An item may be both an input and a dst of a derivation, and the dst
    of one derivation may be an input of another. Some derivations differ only in their labels and
    dst.
    """
    random = Random(seed)
    count = random.randint(4, 24)
    rising = random.random() < 0.5

    def item(low: int = 0, high: int = count) -> str:
        return f"{seed}.{random.randrange(low, max(high, low + 1))}"

    def edge() -> Triple:
        one = random.randrange(count)
        other = (
            min(random.randrange(one + 1, count + 1), count) if rising else random.randrange(count)
        )
        return Triple(f"{seed}.{one}", f"{seed}.{other}", random.choice(["", "x", "y"]))

    groups = []
    for number in range(random.randint(1, 4)):
        middle = random.randrange(1, count)
        bounds = ((0, middle), (middle, count)) if rising else ((0, count), (0, count))
        inputs = {
            Input(item(*bounds[0]), random.choice(["", "x", "sum"]), random.choice(["", "1", "2"]))
            for _ in range(random.randint(1, 5))
        }
        uses = tuple({item(*bounds[1]) for _ in range(random.randint(1, 5))})
        kind = random.choice(["", "all", "any", "aggregate"])
        groups.append(Shared(f"{seed}.{number}", kind, tuple(sorted(inputs)), uses))
    if random.random() < 0.5:
        same = random.choice(groups)
        groups.append(
            Shared(f"{seed}.again", same.kind, same.inputs[::-1], (item(), f"{seed}.end"))
        )
    return [edge() for _ in range(random.randint(0, count))], groups

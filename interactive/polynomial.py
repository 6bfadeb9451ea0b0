"""Records, witnesses and polynomials: the answers of why- and how-provenance."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Record(NamedTuple):
    """A record of a table, by its rid."""

    table: str
    rid: int

    def __str__(self) -> str:
        return f"{self.table}/{self.rid}"

    def __repr__(self) -> str:
        return str(self)  # sets of records show it


Derivation = tuple[Record, ...]
"""The records that one derivation joins, in order; one that it uses twice is there twice."""
Witness = frozenset[Record]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of records: each product is one derivation (Green and others, 2007)."""

    terms: dict[Derivation, int]
    """The products, each with the number of times that it occurs."""

    def evaluate(self, number: Callable[[Record], int]) -> int:
        """Return the value if each record has a number, such as how often it is in its table."""
        total = 0
        for records, times in self.terms.items():
            for record in records:
                times *= number(record)
            total += times
        return total

    def __str__(self) -> str:
        return " + ".join(_product(*term) for term in self.terms.items()) or "0"


def _product(records: Derivation, times: int) -> str:
    powers = Counter(records)
    factors = [f"{one}^{power}" if power > 1 else str(one) for one, power in powers.items()]
    if times > 1 or not factors:
        factors.insert(0, str(times))
    return "·".join(factors)


def minimal(derivations: Iterable[Derivation]) -> list[Witness]:
    """Return the sets of records that have no other one within them, the smallest first."""
    found = sorted(
        {frozenset(each) for each in derivations}, key=lambda each: (len(each), sorted(each))
    )
    kept: list[Witness] = []
    by_first: dict[Record | None, list[Witness]] = {}
    for witness in found:
        if any(less <= witness for one in (None, *witness) for less in by_first.get(one, ())):
            continue
        kept.append(witness)
        by_first.setdefault(min(witness, default=None), []).append(witness)
    return kept

"""Records, witnesses and polynomials: the answers to why- and how-provenance questions."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, TypeVar, overload

Value = TypeVar("Value")


class RecordTerm(NamedTuple):
    """A record of a table, by its rid."""

    table: str
    rid: int

    def __str__(self) -> str:
        return f"{self.table}/{self.rid}"

    def __repr__(self) -> str:
        return str(self)  # the repr of a set of records contains it


Derivation = tuple[RecordTerm, ...]
"""The records that one derivation joins, sorted. A record that is used twice occurs twice."""
Witness = frozenset[RecordTerm]


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of records: each product is one derivation (Green and others, 2007)."""

    terms: dict[Derivation, int]
    """The products, and how often each of them occurs."""

    @overload
    def evaluate(self, value: Callable[[RecordTerm], int]) -> int: ...

    @overload
    def evaluate(
        self,
        value: Callable[[RecordTerm], Value],
        *,
        plus: Callable[[Value, Value], Value],
        times: Callable[[Value, Value], Value],
        zero: Value,
        one: Value,
    ) -> Value: ...

    def evaluate(
        self,
        value: Callable[[RecordTerm], Any],
        *,
        plus: Callable[[Any, Any], Any] = operator.add,
        times: Callable[[Any, Any], Any] = operator.mul,
        zero: Any = 0,
        one: Any = 1,
    ) -> Any:
        """Return the polynomial's value.

        ``value`` returns the value of a record, such as its multiplicity. Values may be of any
        commutative semiring: ``plus`` joins alternatives and has the neutral element ``zero``;
        ``times`` joins records that are used together and has the neutral element ``one``.
        """
        total = zero
        for records, number in self.terms.items():
            product = reduce(times, map(value, records), one)
            total = plus(total, _repeated(product, number, plus))
        return total

    def __str__(self) -> str:
        return " + ".join(_product(*term) for term in self.terms.items()) or "0"


def _repeated(value: Value, number: int, plus: Callable[[Value, Value], Value]) -> Value:
    """Return the sum of ``number`` copies of ``value``, by repeated doubling."""
    if number == 1:
        return value
    half = _repeated(value, number // 2, plus)
    double = plus(half, half)
    return plus(double, value) if number % 2 else double


def _product(records: Derivation, times: int) -> str:
    powers = Counter(records)
    factors = [f"{one}^{power}" if power > 1 else str(one) for one, power in powers.items()]
    if times > 1 or not factors:
        factors.insert(0, str(times))
    return "·".join(factors)


def minimal(derivations: Iterable[Derivation]) -> list[Witness]:
    """Return the sets of records of which no other given set is a subset, the smallest first."""
    found = sorted(
        {frozenset(each) for each in derivations}, key=lambda each: (len(each), sorted(each))
    )
    kept: list[Witness] = []
    by_first: dict[RecordTerm | None, list[Witness]] = {}
    for witness in found:
        if any(less <= witness for one in (None, *witness) for less in by_first.get(one, ())):
            continue
        kept.append(witness)
        by_first.setdefault(min(witness, default=None), []).append(witness)
    return kept

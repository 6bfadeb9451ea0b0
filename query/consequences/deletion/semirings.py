"""Evaluate derivations in a semiring: alternatives are added, joint inputs multiplied.

See Green, Karvounarakis and Tannen (PODS 2007); ProvSQL (VLDB 2018) has the same semirings.

| semiring | alternatives | joint inputs | no derivation | a source |
|---|---|---|---|---|
| trust | largest | product | 0 | 1 |
| access | smallest level | largest level | infinite | 0 |
| cost | smallest | sum | infinite | 0 |
| count | sum | product | 0 | 1 |

If it is unknown how inputs act together, the result has bounds: each such derivation takes the
smaller result of both ways for the lower bound, and the larger for the upper one. All operations
are monotone, so the true value is between the bounds.

Values on a cycle come from the least fixpoint: a derivation of an item from itself is never better
than the one without it. Only counts would be infinite, so they are unknown on cycles.
"""

from typing import Final

import numpy as np
import numpy.typing as npt
from numba import njit

from provhouse.model.arrays import I32, I64
from provhouse.model.semiring import SEMIRINGS

from .derivations import AGGREGATE, ALL, ANY, COPY, Derivations

F64 = npt.NDArray[np.float64]
I8 = npt.NDArray[np.int8]

TRUST: Final = SEMIRINGS.index("trust")
ACCESS: Final = SEMIRINGS.index("access")
COST: Final = SEMIRINGS.index("cost")
COUNT: Final = SEMIRINGS.index("count")
ONE: Final = (1.0, 0.0, 0.0, 1.0)
"""The usual weight of a source, by semiring."""
_ZERO: Final = (0.0, np.inf, np.inf, 0.0)


def bounds(graph: Derivations, weights: F64, how: int, *, joint: bool = False) -> tuple[F64, F64]:
    """Return the lower and the upper bound of the value of each place.

    ``weights`` has an entry for each place; only the weights of sources count. With ``joint``, an
    aggregate takes all of its inputs. A count that is not finite is NaN.
    """
    rows, begins = graph.by_derivation
    order, settled = _topological(graph.at, graph.targets, graph.dst, len(graph.src))
    found = []
    for upper in (False, True):
        values = np.full(graph.places, _ZERO[how])
        _evaluate(
            order, settled, graph.first, graph.kind, rows, begins, graph.src, weights, how, joint,
            upper, values,
        )  # fmt: skip
        found.append(values)
    return found[0], found[1]


@njit(cache=True, nogil=True)
def _topological(at: I64, targets: I32, dst: I32, rows: int) -> tuple[I32, int]:
    """Return all places, inputs first, and how many of them are neither on nor after a cycle."""
    places = len(at) - 2
    waiting = np.zeros(places, np.int32)
    for edge in range(rows):
        waiting[dst[targets[edge]]] += 1
    order = np.empty(places, np.int32)
    filled = 0
    for place in range(places):
        if waiting[place] == 0:
            order[filled] = place
            filled += 1
    taken = 0
    while taken < filled:
        place = order[taken]
        taken += 1
        for edge in range(at[place], at[place + 1]):
            target = dst[targets[edge]]
            waiting[target] -= 1
            if waiting[target] == 0:
                order[filled] = target
                filled += 1
    settled = filled
    for place in range(places):
        if waiting[place] > 0:
            order[filled] = place
            filled += 1
    return order, settled


@njit(cache=True, nogil=True)
def _evaluate(
    order: I32, settled: int, first: I32, kind: I8, rows: I64, begins: I64, src: I32, weights: F64,
    how: int, joint: bool, upper: bool, values: F64,
) -> None:  # fmt: skip
    """Set the value of each place; repeat the places on and after cycles until none changes."""
    for number in range(settled):
        place = order[number]
        values[place] = _value(
            place, first, kind, rows, begins, src, weights, how, joint, upper, values
        )
    if how == COUNT:
        values[order[settled:]] = np.nan
        return
    changed = settled < len(order)
    while changed:
        changed = False
        for number in range(settled, len(order)):
            place = order[number]
            value = _value(
                place, first, kind, rows, begins, src, weights, how, joint, upper, values
            )
            changed |= value != values[place]
            values[place] = value


@njit(cache=True, nogil=True)
def _value(
    place: int, first: I32, kind: I8, rows: I64, begins: I64, src: I32, weights: F64, how: int,
    joint: bool, upper: bool, values: F64,
) -> float:  # fmt: skip
    """Return the value of a place, computed from the values of its inputs."""
    if first[place] == first[place + 1]:
        own: float = weights[place]
        return own
    total = _ZERO[how]
    for way in range(first[place], first[place + 1]):
        alternatives, product = _ZERO[how], ONE[how]
        for at in range(begins[way], begins[way + 1]):
            value = values[src[rows[at]]]
            alternatives = _plus(how, alternatives, value)
            product = _times(how, product, value)
        of = kind[way]
        if of == ALL or (of == AGGREGATE and joint):
            found = product
        elif of == AGGREGATE and how == COUNT:  # a group exists once
            found = min(alternatives, 1.0)
        elif of in (ANY, AGGREGATE, COPY):
            found = alternatives
        else:
            found = max(alternatives, product) if upper else min(alternatives, product)
        total = _plus(how, total, found)
    return total


@njit(cache=True, nogil=True, inline="always")
def _plus(how: int, one: float, other: float) -> float:
    if how == TRUST:
        return max(one, other)
    return one + other if how == COUNT else min(one, other)


@njit(cache=True, nogil=True, inline="always")
def _times(how: int, one: float, other: float) -> float:
    if how == COST:
        return one + other
    return max(one, other) if how == ACCESS else one * other

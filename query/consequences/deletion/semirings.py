"""Evaluate derivations in a semiring: alternatives are added, joint inputs multiplied.

See Green, Karvounarakis and Tannen (PODS 2007); ProvSQL (VLDB 2018) has the same semirings.
| semiring | alternatives | joint inputs | no derivation | a source |
|---|---|---|---|---|
| trust | largest | product | 0 | 1 |
| access | smallest level | largest level | infinite | 0 |
| cost | smallest | sum | infinite | 0 |
| count | sum | product | 0 | 1 |

If it is unknown whether the inputs of a derivation are alternatives or joint, the value has bounds:
for each such derivation, the lower bound takes the smaller of the two results, and the upper bound
the larger. All operations are monotone, so the true value is between the bounds.

Values on a cycle come from the least fixpoint: if a derivation of an item leads through the item
itself, it is never better than the derivation without the cycle. Counts are an exception: they
would be infinite on cycles, so they are unknown there.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64
from provhouse.model.compiled import compiled
from provhouse.model.semiring import SEMIRINGS

from .derivation_index import AGGREGATE, ALL, ANY, COPY, Derivations, TripleIndex

F64 = npt.NDArray[np.float64]
I8 = npt.NDArray[np.int8]

TRUST: Final = SEMIRINGS.index("trust")
ACCESS: Final = SEMIRINGS.index("access")
COST: Final = SEMIRINGS.index("cost")
COUNT: Final = SEMIRINGS.index("count")
ONE: Final = (1.0, 0.0, 0.0, 1.0)
"""The default weight of a source, by semiring."""
_ZERO: Final = (0.0, np.inf, np.inf, 0.0)


class ByDerivation(NamedTuple):
    """The rows, ordered by derivation, and the position of each derivation's first row."""

    rows: I64
    begins: I64


class Asked(NamedTuple):
    """The arguments: weights of sources, the semiring, how inputs act together, and the bound."""

    weights: F64
    how: int
    joint: bool
    upper: bool


def bounds(graph: Derivations, weights: F64, how: int, *, joint: bool = False) -> tuple[F64, F64]:
    """Return the lower and the upper bound of each place's value.

    ``weights`` has an entry for each place, but only the weights of sources are used. If ``joint``
    is true, the inputs of an aggregate are joint inputs, not alternatives. A count that is not
    finite is NaN.
    """
    by = ByDerivation(*graph.by_derivation)
    order, settled = _topological(graph.index, len(graph.src))
    found = []
    for upper in (False, True):
        values = np.full(graph.places, _ZERO[how])
        _evaluate(order, settled, graph.index, by, Asked(weights, how, joint, upper), values)
        found.append(values)
    return found[0], found[1]


@compiled(nogil=True)
def _topological(graph: TripleIndex, rows: int) -> tuple[I32, int]:
    """Return all places, inputs first, and the number of places neither on nor after a cycle."""
    places = len(graph.at) - 2
    waiting = np.zeros(places, np.int32)
    for edge in range(rows):
        waiting[graph.dst[graph.targets[edge]]] += 1
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
        for edge in range(graph.at[place], graph.at[place + 1]):
            target = graph.dst[graph.targets[edge]]
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


@compiled(nogil=True)
def _evaluate(
    order: I32, settled: int, graph: TripleIndex, by: ByDerivation, ask: Asked, values: F64
) -> None:
    """Set the value of each place. On and after cycles, repeat this until no value changes."""
    for number in range(settled):
        place = order[number]
        values[place] = _value(place, graph, by, ask, values)
    if ask.how == COUNT:
        values[order[settled:]] = np.nan
        return
    changed = settled < len(order)
    while changed:
        changed = False
        for number in range(settled, len(order)):
            place = order[number]
            value = _value(place, graph, by, ask, values)
            changed |= value != values[place]
            values[place] = value


@compiled(nogil=True)
def _value(place: int, graph: TripleIndex, by: ByDerivation, ask: Asked, values: F64) -> float:
    """Return the value of a place, computed from the values of its inputs."""
    if graph.first[place] == graph.first[place + 1]:
        own: float = ask.weights[place]
        return own
    total = _ZERO[ask.how]
    for way in range(graph.first[place], graph.first[place + 1]):
        alternatives, product = _ZERO[ask.how], ONE[ask.how]
        for at in range(by.begins[way], by.begins[way + 1]):
            value = values[graph.src[by.rows[at]]]
            alternatives = _plus(ask.how, alternatives, value)
            product = _times(ask.how, product, value)
        of = graph.kind[way]
        if of == ALL or (of == AGGREGATE and ask.joint):
            found = product
        elif of == AGGREGATE and ask.how == COUNT:  # a row of a GROUP BY exists once
            found = min(alternatives, 1.0)
        elif of in (ANY, AGGREGATE, COPY):
            found = alternatives
        else:
            found = max(alternatives, product) if ask.upper else min(alternatives, product)
        total = _plus(ask.how, total, found)
    return total


@compiled(nogil=True, inline=True)
def _plus(how: int, one: float, other: float) -> float:
    """Combine the values of two alternatives."""
    if how == TRUST:
        return max(one, other)
    return one + other if how == COUNT else min(one, other)


@compiled(nogil=True, inline=True)
def _times(how: int, one: float, other: float) -> float:
    """Combine the values of two joint inputs."""
    if how == COST:
        return one + other
    return max(one, other) if how == ACCESS else one * other

"""Find the condition that hides each item of a flow: the modules that must all be folded.

``fold`` hides the items inside the modules that are folded. This module finds in one pass, for
every item, the modules that hide it if all of them are folded. With these conditions, any view can
be computed from counts alone, without the triples.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled

from .fold import (
    NONE,
    OTHER_TABLE,
    OUTPUT,
    OUTPUT_TABLE,
    STATE,
    STATE_TABLE,
    UNMADE,
    Flow,
    made_in,
)

MOST_MODULES: Final = 62
"""The largest number of modules: each module is one bit of a signed 64-bit integer."""


@dataclass(frozen=True)
class Conditions:
    """The condition that hides each item of a flow, and the invocation that made the item."""

    modules: I64
    """For each item, a bit mask of modules: the item is hidden if all of them are folded.

    If the value is -1, the item is never hidden.
    """
    made: I32
    """The invocation that made each item; negative if not exactly one invocation made it."""


def conditions(flow: Flow, kept: I64) -> Conditions:
    """Return the condition that hides each item; the items in ``kept`` are never hidden.

    An item is hidden in ``fold(flow, folded, kept)`` if and only if its modules are all folded. A
    flow must have at most ``MOST_MODULES`` modules.
    """
    shown = np.zeros(flow.items, bool)
    shown[kept] = True
    made = made_in(flow.items, flow.dst, flow.invocation)
    return Conditions(_conditions(flow, made, shown), made)


@compiled()
def _conditions(flow: Flow, made: I32, shown: Bools) -> I64:
    items = len(made)
    one = np.int64(1)
    says = np.zeros(len(flow.module), np.bool_)  # whether the invocation names its outputs
    output = np.zeros(items, np.bool_)
    used = np.zeros(items, np.bool_)
    stateful = np.ones(items, np.bool_)  # whether the item is used as state only
    never = shown.copy()
    needs = np.zeros(items, np.int64)
    needed = np.zeros(items, np.bool_)  # whether the item is an input that every view shows
    for row in range(len(flow.src)):
        item, of = flow.src[row], flow.invocation[row]
        used[item] = True
        if of == NONE:
            never[item] = True
            continue
        part = flow.declared[flow.module[of], flow.table[item]]
        state = flow.role[row] == STATE or part == STATE_TABLE
        stateful[item] &= state
        needed[item] |= part != OTHER_TABLE and not state
        if made[item] != of:
            never[item] |= not state and made[item] != UNMADE
            needs[item] |= one << flow.module[of]
        named = (
            flow.role[row] == OUTPUT
            or flow.declared[flow.module[of], flow.table[flow.dst[row]]] == OUTPUT_TABLE
        )
        output[flow.dst[row]] |= named
        says[of] |= named or flow.declared[flow.module[of], -1] == OUTPUT_TABLE
    for item in range(items):
        at = made[item]
        if at >= 0:
            never[item] |= output[item] or not (used[item] or says[at])
            needs[item] |= one << flow.module[at]
        elif at != UNMADE or not used[item]:
            never[item] = True
        elif not stateful[item]:
            never[item] |= needed[item]
    # A constant is hidden only if every item made from it is hidden.
    for row in range(len(flow.src)):
        item = flow.src[row]
        if made[item] == UNMADE and not stateful[item]:
            never[item] |= never[flow.dst[row]]
            needs[item] |= needs[flow.dst[row]]
    return np.where(never, -1, needs)

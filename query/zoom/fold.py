"""Fold modules of a workflow: ZoomOut of the Lipstick paper (definition 4.1), on arrays.

The paper finds the nodes inside a module by paths in a graph that has nodes for invocations,
inputs, outputs and state. A flow records the invocation that made each triple, so one pass finds
the items inside. A view depends only on the set of folded modules, so nothing is stored. The
paper's ZoomIn into a module is the view in which this module is not folded.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from provhouse.model.arrays import I32, I64, Bools
from provhouse.model.compiled import compiled
from provhouse.model.derivations import ROLES

I8 = npt.NDArray[np.int8]

NONE: Final = -1
"""The invocation of a triple that is not in a module, and the role of an ordinary input."""
UNMADE, SEVERAL = -2, -3
"""The codes for an item that no triple made, and for an item that several invocations made."""
STATE: Final = ROLES["state"]
OUTPUT: Final = ROLES["output"]

UNDECLARED, INPUT_TABLE, STATE_TABLE, OUTPUT_TABLE, OTHER_TABLE = range(5)
"""The parts that a table may play in a module.

``OTHER_TABLE`` means that the module declares its inputs, and that the table is not among them.
"""


class Flow(NamedTuple):
    """Triples between items, with the module invocation that made each triple.

    ``items`` is the number of items.
    """

    items: int
    src: I64
    dst: I64
    """The dst of each triple. In ``src`` and ``dst``, items are numbers from 0."""
    invocation: I32
    """The invocation of each triple, or ``NONE``."""
    role: I8
    """The code of each triple's role, or ``NONE`` for an input."""
    module: I32
    """The module of each invocation."""
    table: I32
    """The table of each item."""
    declared: I8
    """The part that each table (a column) plays in each module (a row).

    The last column does not stand for a table: it is ``OUTPUT_TABLE`` if the module declares
    outputs.
    """


@dataclass(frozen=True)
class Folded:
    """A view of a flow in which some modules are folded."""

    hidden: Bools
    """For each item, whether it is inside a folded invocation. The view does not show it then."""
    invocations: I64
    """The folded invocations, in order."""
    several: Bools
    """For each item, whether several invocations made it. Such an item is never hidden."""
    start: I64
    end: I64
    """The nodes at both ends of each edge: the number of an item, or ``items`` plus an
    invocation.
    """
    row: I64
    """The row of one of the triples that each edge stands for."""


def fold(flow: Flow, folded: Bools, kept: I64) -> Folded:
    """Return the view in which the modules that the mask ``folded`` marks are folded.

    A folded invocation becomes one node. It hides an item if

    - the item was made in this invocation only, is not used anywhere else, and is not an output of
      it; or
    - no triple made the item, and it is only used as state of folded invocations; or
    - no triple made the item, only hidden items were made from it, and its table is not a declared
      input: such an item is a constant.

    An item that one folded invocation made and other folded invocations use only as state is hidden
    too. An item from which nothing was made is an output, unless its module states its outputs, by
    the role ``output`` or by declared tables. The items in ``kept`` are never hidden.
    """
    gone = folded[flow.module]
    made = made_in(flow.items, flow.dst, flow.invocation)
    if not gone.any():
        hidden, rows = np.zeros(flow.items, bool), np.arange(len(flow.src))
        return Folded(hidden, rows[:0], made == SEVERAL, flow.src, flow.dst, rows)
    inside = (flow.invocation != NONE) & np.append(gone, False)[flow.invocation]
    shown = np.zeros(flow.items, bool)
    shown[kept] = True
    hidden = _hidden(flow, made, inside, gone, shown)
    edges = _edges(flow, made, inside, hidden)
    invocations = np.flatnonzero(np.bincount(flow.invocation[inside], minlength=len(gone)))
    return Folded(hidden, invocations, made == SEVERAL, *edges)


@compiled()
def made_in(items: int, dst: I64, invocation: I32) -> I32:
    """Return the invocation that made each item, ``UNMADE`` if none did, or ``SEVERAL``."""
    made = np.full(items, UNMADE, np.int32)
    for row in range(len(dst)):
        item = dst[row]
        if made[item] == UNMADE:
            made[item] = invocation[row]
        elif made[item] != invocation[row]:
            made[item] = SEVERAL
    return made


@compiled()
def _hidden(flow: Flow, made: I32, inside: Bools, gone: Bools, shown: Bools) -> Bools:
    """Return a mask of the hidden items; ``gone`` marks the folded invocations."""
    items = len(made)
    says = np.zeros(len(flow.module), np.bool_)  # whether the invocation names its outputs
    output = np.zeros(items, np.bool_)
    used = np.zeros(items, np.bool_)
    outer = np.zeros(items, np.bool_)  # whether it is used outside of the invocation that made it
    stateful = np.ones(items, np.bool_)  # whether the item is used as state only
    needed = np.zeros(items, np.bool_)  # whether the item is an input that the view shows
    for row in range(len(flow.src)):
        item, of = flow.src[row], flow.invocation[row]
        used[item] = True
        if not inside[row]:
            outer[item] = True
            continue
        part = flow.declared[flow.module[of], flow.table[item]]
        state = flow.role[row] == STATE or part == STATE_TABLE
        stateful[item] &= state
        needed[item] |= part != OTHER_TABLE and not state
        outer[item] |= not state and made[item] != of and made[item] != UNMADE
        named = (
            flow.role[row] == OUTPUT
            or flow.declared[flow.module[of], flow.table[flow.dst[row]]] == OUTPUT_TABLE
        )
        output[flow.dst[row]] |= named
        says[of] |= named or flow.declared[flow.module[of], -1] == OUTPUT_TABLE
    hidden = np.zeros(items, np.bool_)
    for item in range(items):
        at = made[item]
        inner = at >= 0 and gone[at] and not (shown[item] or output[item] or outer[item])
        hidden[item] = inner and (used[item] or says[at])
    # A constant is hidden only if every item made from it is hidden.
    for row in range(len(flow.src)):
        needed[flow.src[row]] |= not hidden[flow.dst[row]]
    for item in range(items):
        leaf = made[item] == UNMADE and used[item] and not (outer[item] or shown[item])
        hidden[item] |= leaf and (stateful[item] or not needed[item])
    return hidden


@compiled()
def _edges(flow: Flow, made: I32, inside: Bools, hidden: Bools) -> tuple[I64, I64, I64]:
    """Return the start, the end and one triple of each edge of a view. Edges may be repeated."""
    start = np.empty(2 * len(flow.src), np.int64)
    end = np.empty(2 * len(flow.src), np.int64)
    rows = np.empty(2 * len(flow.src), np.int64)
    count, items = 0, len(made)
    for row in range(len(flow.src)):
        if not inside[row]:
            start[count], end[count], rows[count] = flow.src[row], flow.dst[row], row
            count += 1
            continue
        node = items + flow.invocation[row]
        if not hidden[flow.src[row]] and made[flow.src[row]] != flow.invocation[row]:
            start[count], end[count], rows[count] = flow.src[row], node, row
            count += 1
        if not hidden[flow.dst[row]]:
            start[count], end[count], rows[count] = node, flow.dst[row], row
            count += 1
    return start[:count], end[:count], rows[:count]

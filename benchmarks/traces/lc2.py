"""Generate LC2, one of the three large components of the paper's trace.

It has little text, but many values derive from the same references.
"""

import numpy as np

from benchmarks.traces.connected import Links, Widest, between, inner, layered, sizes
from benchmarks.traces.parts import DOCUMENTS, SP1, SP2, SP4, SP5, Part, Rng, block, linked, part
from benchmarks.traces.workflow import LAST
from provhouse.model.arrays import I64

ITEMS, TRIPLES, DEPENDENCIES = 920_000, 1_370_000, 206_945
FILING = 399
SETS = 64_737, 132_599
"""The numbers of sets in sp4 and in sp5."""
LARGE = (24_733, 5_100)
"""The numbers of items in the two large sets of sp5."""
WIDE = (1_500, 300)
"""For each of the two large sets of sp5, the number of sets of sp4 from which it derives."""
FROM_TEXT = 300
"""The number of sets of sp4 that derive from LC2's only set of sp2."""
WIDEST = Widest((301, 240, 160, 190, 130, 115))


def lc2(rng: Rng, first: int) -> Part:
    """Return LC2. The graph of its sets is mostly a tree."""
    one = np.array([FILING])
    sp1 = block(rng, np.array([[1, 3]]), first, SP1, LAST["sp1"], one)
    sp2 = block(rng, np.array([[40, 71, 100]]), sp1.end, SP2, LAST["sp2"], one)
    place = np.arange(SETS[0]) * DOCUMENTS // SETS[0]
    width = layered(rng, sizes(rng, (30,), SETS[0], 259_000, 1, 29), 2)
    sp4 = block(rng, width, sp2.end, SP4, LAST["sp4"], place)
    primary, known = _links(rng, *SETS)
    width = layered(rng, sizes(rng, LARGE, SETS[1], first + ITEMS - sp4.end, 1, 999), 4)
    sp5 = block(rng, width, sp4.end, SP5, LAST["sp5"], place[primary])
    links = linked(rng, sp5, primary, known, DEPENDENCIES - FROM_TEXT - 1, SETS[0], {0, 1})
    within = [inner(rng, sp1, 0), inner(rng, sp2, 0.5), inner(rng, sp4, 0)]
    within.append(inner(rng, sp5, 0.3, 0, 800, WIDEST))
    text = Links(rng.choice(SETS[0], FROM_TEXT, False), np.zeros(FROM_TEXT, np.int64))
    zero = np.zeros(1, np.int64)
    across = [between(rng, sp2, sp1, Links(zero, zero), None), between(rng, sp4, sp2, text, None)]
    so_far = sum(len(each.src) for each in within) + sum(len(src) for src, _ in across)
    across.append(between(rng, sp5, sp4, links, TRIPLES - so_far))
    return part([sp1, sp2, sp4, sp5], within, across)


def _links(rng: Rng, above: int, below: int) -> tuple[I64, Links]:
    """Return the primary parent in sp4 of each set of sp5, and further links from sp4 to sp5.

    The links connect all sets of sp4: each set of sp4 except the first has a child in sp5 that also
    derives from an earlier set of sp4. For half of the sets, the earlier set is a neighbour. For
    the other half, it is one of a few popular references. The two large sets of sp5 get links to
    many random sets of sp4.
    """
    primary = np.sort((above * rng.random(below) ** 3).astype(np.int64))
    number = np.arange(1, above)
    joint = 2 + rng.permutation(below - 2)[: above - 1]
    neighbour = np.maximum(number - rng.geometric(0.2, above - 1), 0)
    reference = (number * rng.random(above - 1) ** 2).astype(np.int64)
    primary[joint] = number
    shared = np.where(rng.random(above - 1) < 0.5, neighbour, reference)
    wide = [rng.choice(above, count, False) for count in WIDE]
    child = np.concatenate([joint, np.repeat((0, 1), WIDE)])
    return primary, Links(child, np.concatenate([shared, *wide]))

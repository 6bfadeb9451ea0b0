"""Reconstruct the paper's trace from the figures that the paper gives (CSProv, section V).

Each large component consists of blocks of connected sets, with one block for each split. Figures
that the paper rounds may differ within the rounding. `paper_report` compares all figures.
"""

import numpy as np

from benchmarks.traces.connected import Widest, inner, layered, sizes, tables_of, trimmed
from benchmarks.traces.giants import LC1, LC3, giant
from benchmarks.traces.lc2 import lc2
from benchmarks.traces.parts import DOCUMENTS, Part, Rng, block, part
from benchmarks.traces.trace_files import Trace, documents, in_order, operations
from benchmarks.traces.workflow import LAST, LEVELS, TABLES, VERBS, routes

ITEMS, TRIPLES = 4_580_000, 6_430_000
MEDIUM, MEDIUM_ITEMS = 132, 230_000
LARGEST = (7_453, 8_122)
"""The numbers of items and triples of the component that the paper uses for its class SC-SL."""
LAYERS = (1, 60, 400, 1_400, 12, 600, 2_000, 2_980)
"""The number of items in each layer of the component for SC-SL.

One layer has a few aggregates with 100 to 200 ancestors. Many items derive from these aggregates.
"""
SHARES = (0, 0.02, 0.08, 0.2, 0.25, 0.2, 0.15, 0.1)
"""The share of a component's items in each layer.

It is used for components of medium size, except the one whose layers are ``LAYERS``.
"""


def paper(seed: int) -> Trace:
    """Generate the paper's trace. Its details depend on the seed."""
    rng = np.random.default_rng(seed)
    parts = [giant(rng, 0, LC1)]
    for make in (lc2, lambda rng, first: giant(rng, first, LC3), medium):
        parts.append(make(rng, parts[-1].blocks[-1].end))
    first = parts[-1].blocks[-1].end
    parts.append(small(rng, first, ITEMS - first, TRIPLES - sum(len(part.src) for part in parts)))
    table, level, document = tables_of([b for part in parts for b in part.blocks], routes())
    src, dst = (np.concatenate([getattr(part, end) for part in parts]) for end in ("src", "dst"))
    return Trace(
        *in_order(document.astype(np.int64) * LEVELS + level, src, dst),
        table,
        TABLES,
        operations(list(VERBS.values()), TABLES),
        document,
        documents(rng, DOCUMENTS),
    )


def medium(rng: Rng, first: int) -> Part:
    """Return the components of medium size. Each belongs to a different document."""
    items = sizes(rng, (LARGEST[0], 910), MEDIUM, MEDIUM_ITEMS, 911, LARGEST[0] - 1)
    share = np.array(SHARES) * rng.uniform(0.7, 1.3, (MEDIUM, len(SHARES)))
    share /= share.sum(axis=1)[:, None]
    width = 1 + ((items - len(SHARES))[:, None] * share).astype(np.int64)
    width[:, -1] += items - width.sum(axis=1)
    width[0] = LAYERS
    made = block(rng, width, first, 0, 7, DOCUMENTS - MEDIUM + np.arange(MEDIUM))
    overlap = np.full(MEDIUM, 0.05)
    overlap[0] = 0.2
    widest = Widest((60, 52, 48, 56, 50, 45), sets=1, layer=4)
    found = inner(rng, made, overlap, 0, 57, widest, (0,))
    return part([made], [trimmed(rng, made, found, 0, LARGEST[1])])


def small(rng: Rng, first: int, items: int, triples: int) -> Part:
    """Return the small components, trees of at most 100 items, grouped by document."""
    count = items - triples
    width = layered(rng, sizes(rng, (100,), count, items, 2, 99), 4)
    made = block(rng, width, first, 1, LAST["sp5"], np.arange(count) * DOCUMENTS // count)
    return part([made], [inner(rng, made, 0)])

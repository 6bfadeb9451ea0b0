"""An item is hidden exactly when ``fold`` folds all modules that are stated to hide the item."""

import numpy as np
import pytest

from provhouse.query.zoom.conditions import conditions
from provhouse.query.zoom.fold import NONE, OTHER_TABLE, OUTPUT_TABLE, Flow, fold


def random_flow(seed: int) -> tuple[Flow, np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return random triples and an item to keep.

    The triples may form cycles, and an item may be made by several invocations.
    """
    random = np.random.default_rng(seed)
    items, modules = int(random.integers(2, 14)), int(random.integers(1, 5))
    calls, triples = int(random.integers(modules, 7)), int(random.integers(1, 25))
    module = np.append(np.arange(modules), random.integers(0, modules, calls - modules))
    maker = random.integers(NONE, calls, items)  # most items are made by one invocation
    dst = random.integers(0, items, triples)
    other = random.random(triples) < 0.1
    flow = Flow(
        items=items,
        src=random.integers(0, items, triples),
        dst=dst,
        invocation=np.where(other, random.integers(NONE, calls, triples), maker[dst]).astype(
            np.int32
        ),
        role=random.choice([NONE, NONE, NONE, 0, 1, 2], triples).astype(np.int8),
        module=module.astype(np.int32),
        table=random.integers(0, 3, items).astype(np.int32),
        declared=random.choice([0, 0, 1, 2, OUTPUT_TABLE, OTHER_TABLE], (modules, 4)).astype(
            np.int8
        ),
    )
    return flow, random.integers(0, items, 1)


def _check(seed: int) -> None:
    flow, kept = random_flow(seed)
    found = conditions(flow, kept).modules
    count = int(flow.module.max()) + 1
    for mask in range(1 << count):
        folded = np.array([bool(mask >> module & 1) for module in range(count)])
        hidden = (found >= 0) & (found & mask == found)
        assert hidden.tolist() == fold(flow, folded, kept).hidden.tolist(), (seed, mask)


@pytest.mark.parametrize("part", range(4))
def test_every_view_of_random_flows_hides_the_same_items(part: int) -> None:
    for seed in range(part * 100, part * 100 + 100):
        _check(seed)


@pytest.mark.long
def test_every_view_of_many_random_flows_hides_the_same_items() -> None:
    for seed in range(1000, 20_000):
        _check(seed)

"""An answer's exactness is determined by the triples on paths to the shown items."""

from collections import Counter
from collections.abc import Mapping
from random import Random

import networkx as nx
import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.answer import Read
from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.operations import LEVELS
from provhouse.model.question import Direction
from provhouse.query.lineage.exactness import Declared
from provhouse.query.methods.method import MethodResult
from provhouse.query.reading.recurse import recurse

ORDER = (*LEVELS, "unknown")


def declared(levels: Mapping[str, str]) -> Declared:
    return Declared(
        pa.table({"op": [*levels], "exactness": pa.array(levels.values(), pa.string())})
    )


def stated(ops: Counter[str], levels: Mapping[str, str]) -> tuple[str | None, dict[str, int]]:
    """Return the weakest exactness of the triples, and the number of triples of each exactness.

    ``ops`` has the number of triples of each op.
    """
    found = Counter[str]()
    for op, triples in ops.items():
        found[levels.get(op, "unknown")] += triples
    if not set(found) - {"unknown"}:
        return None, {}
    return max(found, key=ORDER.index), dict(found)


@given(st.integers(0, 2**32))
def test_only_triples_on_paths_to_shown_items_count(seed: int) -> None:
    """Any found item may be hidden. networkx finds the triples on paths to the other items."""
    random = Random(seed)
    items = random.randint(1, 7)
    src, dst = (np.array([random.randrange(items) for _ in range(12)], np.int64) for _ in "sd")
    ops = [random.choice("abcde") for _ in src]
    levels = {op: random.choice(LEVELS) for op in "abcd" if random.random() < 0.7}
    direction: Direction = random.choice(["upstream", "downstream"])
    near, far = (dst, src) if direction == "upstream" else (src, dst)
    reached = recurse(ItemNumbers(near), ItemNumbers(far), ItemNumber(0), random.choice([None, 2]))
    triples = pa.table({"src": src, "dst": dst, "op": ops, "attributes": [""] * len(ops)})
    triples = triples.take(pa.array(reached.triples))
    found = MethodResult(
        ItemNumbers(reached.items), reached.depths, triples, reached.near_depths,
        ItemNumbers(reached.unexpanded), Read(0, 0, 0),
    )  # fmt: skip
    kept = np.array([random.random() < 0.5 for _ in reached.items], bool)
    shown = found.select(kept, np.ones(triples.num_rows, bool))

    steps = list(zip(near[reached.triples], far[reached.triples], strict=True))
    graph = nx.DiGraph(steps)
    targets = set(shown.items.tolist())
    reaching = targets.union(*(nx.ancestors(graph, target) for target in targets))
    on_paths = (op for (_, end), op in zip(steps, triples["op"].to_pylist(), strict=True)
                if end in reaching)  # fmt: skip
    answer = declared(levels).of_paths(found, shown, direction)
    assert (answer.weakest, dict(answer.triples)) == stated(Counter(on_paths), levels)

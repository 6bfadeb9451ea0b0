"""The interface of the query methods: their arguments and their result."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Read
from provhouse.model.arrays import I32, Bools, ItemNumber, ItemNumbers
from provhouse.model.columns import DST, SRC
from provhouse.model.question import Direction


@dataclass(frozen=True)
class MethodResult:
    """The items that a method reached and the triples between them, as item numbers."""

    items: ItemNumbers
    depths: I32
    triples: pa.Table
    """The triples of the answer: src, dst, op, attributes."""
    near_depths: I32
    """The depth of the near end of each triple."""
    unexpanded: ItemNumbers
    """The items that have more triples, which were left out because of the depth limit."""
    read: Read

    def select(self, items: Bools, triples: Bools) -> "MethodResult":
        """Return a result with only the items and triples that the two masks mark."""
        return replace(
            self,
            items=ItemNumbers(self.items[items]),
            depths=self.depths[items],
            triples=self.triples.filter(pa.array(triples)),
            near_depths=self.near_depths[triples],
        )


class QueryMethod(Protocol):
    """A way to find the lineage or impact of an item; all methods give the same result."""

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return what ``item`` reaches within ``depth`` hops; None means any number."""


def near_and_far(triples: pa.Table, direction: Direction) -> tuple[ItemNumbers, ItemNumbers]:
    """Return the near and the far ends of triples: dst and src upstream, src and dst downstream."""
    src, dst = src_and_dst(triples)
    return (dst, src) if direction == "upstream" else (src, dst)


def src_and_dst(triples: pa.Table) -> tuple[ItemNumbers, ItemNumbers]:
    """Return the item numbers at both ends of triples."""
    return ItemNumbers(np.asarray(triples[SRC])), ItemNumbers(np.asarray(triples[DST]))

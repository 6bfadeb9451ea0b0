"""The interface of the query methods: their arguments and their result."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from provhouse.model.answer import Read
from provhouse.model.arrays import I32, Bools, ItemNumber, ItemNumbers, minus, unique
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC
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
    """The items whose further triples were left out because of the depth limit."""
    read: Read

    def select(self, items: Bools, triples: Bools) -> "MethodResult":
        """Return a result with only the items and triples that the masks mark."""
        return replace(
            self,
            items=ItemNumbers(self.items[items]),
            depths=self.depths[items],
            triples=self.triples.filter(pa.array(triples)),
            near_depths=self.near_depths[triples],
        )

    def without_repeats(self) -> "MethodResult":
        """Return the result with each triple once, even if it is in several derivations."""
        return self.select(np.ones(len(self.items), bool), first_of_each(self.triples))


def union(results: Sequence[MethodResult], direction: Direction) -> MethodResult:
    """Return the union of the results of several items.

    Each item and triple keeps its smallest depth.
    """
    if len(results) == 1:
        return results[0]
    items, depths = _nearest(results)
    near_depths = np.concatenate([each.near_depths for each in results])
    order = np.argsort(near_depths, kind="stable")  # the first of equal triples is the nearest
    triples = pa.concat_tables([each.triples for each in results]).take(pa.array(order))
    unexpanded = unique(np.concatenate([each.unexpanded for each in results]))
    near, _ = near_and_far(triples, direction)
    return MethodResult(
        items=items,
        depths=depths,
        triples=triples,
        near_depths=near_depths[order],
        unexpanded=ItemNumbers(minus(unexpanded, near)),
        read=Read(*np.sum([astuple(each.read) for each in results], axis=0).tolist()),
    ).without_repeats()


def _nearest(results: Sequence[MethodResult]) -> tuple[ItemNumbers, I32]:
    """Return the distinct items of several results, each with its smallest depth."""
    every = np.concatenate([each.items for each in results])
    depths = np.concatenate([each.depths for each in results])
    order = np.lexsort((depths, every))
    items, first = np.unique(every[order], return_index=True)
    return ItemNumbers(items), depths[order][first]


class QueryMethod(Protocol):
    """A method to find the lineage or impact of an item. All methods give the same result."""

    def find(self, item: ItemNumber, direction: Direction, depth: int | None) -> MethodResult:
        """Return the items and triples within ``depth`` hops of ``item``; None means no limit."""


def first_of_each(triples: pa.Table) -> Bools:
    """Return a mask of rows that differ from all earlier rows in src, dst, op or attributes."""
    texts = (triples[name].combine_chunks() for name in (OP, ATTRIBUTES))
    keys = [np.asarray(text.dictionary_encode().indices) for text in texts]
    keys += src_and_dst(triples)
    order = np.lexsort(keys)
    first = np.ones(len(order), bool)
    first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    kept = np.zeros(len(order), bool)
    kept[order[first]] = True
    return kept


def plain_texts(found: MethodResult) -> MethodResult:
    """Return the result with op and attributes as plain strings instead of codes."""
    triples = found.triples
    for name in (OP, ATTRIBUTES):
        at = triples.column_names.index(name)
        triples = triples.set_column(at, name, triples[name].cast(pa.string()))
    return replace(found, triples=triples)


def near_and_far(triples: pa.Table, direction: Direction) -> tuple[ItemNumbers, ItemNumbers]:
    """Return the near ends and the far ends of triples.

    Upstream, these are the dst and the src; downstream, the src and the dst.
    """
    src, dst = src_and_dst(triples)
    return (dst, src) if direction == "upstream" else (src, dst)


def src_and_dst(triples: pa.Table) -> tuple[ItemNumbers, ItemNumbers]:
    """Return the item numbers at both ends of triples."""
    return ItemNumbers(np.asarray(triples[SRC])), ItemNumbers(np.asarray(triples[DST]))

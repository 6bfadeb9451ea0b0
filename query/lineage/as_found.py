"""Name the rows of an answer with millions of items while sending them, in the search's order.

Sorting such an answer by name, as ``named_rows`` does, takes most of the time and of the memory.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I32, I64, Bools, ItemNumbers, among
from provhouse.model.columns import ATTRIBUTES, DEPTH, DST, ITEM, OP, SET, SRC, TABLE
from provhouse.model.errors import Unavailable
from provhouse.store.names.names import Names
from provhouse.store.tables.touching import touching

from ..methods.csprov import Searched
from ..methods.method import first_of_each, src_and_dst
from .named_rows import SetsOf, coded

MANY_ITEMS = 1_000_000
"""Answers with more items than this are large: their rows may be sent as they are found."""
ROWS = 1 << 16
"""The largest number of rows to name at once."""


class AsFound:
    """The rows of a search, except erased items and the triples that touch erased items.

    If ``repeats`` is true, a triple may be in more than one derivation, so the search may find it
    more than once.
    """

    def __init__(
        self, found: Searched, names: Names, sets_of: SetsOf | None, *, repeats: bool
    ) -> None:
        self._found = found
        self._names = names
        self._sets_of = sets_of
        self._repeats = repeats
        self._erased = names.erased

    @property
    def erased(self) -> int:
        """The number of erased items found."""
        return int(self._found.search.reached(self._erased).sum())

    def items(self) -> Iterator[pa.Table]:
        """Yield the items by depth, with the columns of an answer.

        The names of the first ``ROWS`` items are looked up first, so that they can be sent early;
        then all names are looked up at once. Raises Unavailable if an item is erased meanwhile.
        """
        for begin in range(0, len(self._found.search), ROWS):
            items, depths = self._found.search.items(begin, begin + ROWS)
            visible = ~among(items, self._erased)
            yield self._item_rows(ItemNumbers(items[visible]), depths[visible], begin == 0)

    def _item_rows(self, items: ItemNumbers, depths: I32, first: bool) -> pa.Table:
        if first:
            order = np.argsort(items)
            texts, tables = self._names.described(ItemNumbers(items[order]))
            places = np.empty_like(order)
            places[order] = np.arange(len(order))
        else:
            texts, tables, _ = self._described
            places = self._ranks(items)
        rows = {
            ITEM: coded(places, texts),
            TABLE: tables.take(pa.array(places)),
            DEPTH: depths,
        }
        if self._sets_of:
            rows[SET] = pa.array(self._sets_of(items))
        self._check_erased()
        return pa.table(rows)

    def triples(self) -> Iterator[pa.Table]:
        """Yield the triples by the depth of the near end, with the columns of an answer.

        Raises Unavailable if an item is erased meanwhile.
        """
        for rows, _ in self._found.search.triples(ROWS, whole=self._repeats):
            found = self._taken(rows)
            yield self._triple_rows(found.filter(pa.array(self._kept(found))))

    def _taken(self, rows: I64) -> pa.Table:
        """Return the triples in the given rows, in the given order."""
        order = np.argsort(rows)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return self._found.triples.take(rows[order]).take(pa.array(back))

    def _kept(self, found: pa.Table) -> Bools:
        kept = ~touching(found, self._erased)
        return kept & first_of_each(found) if self._repeats else kept

    def _triple_rows(self, found: pa.Table) -> pa.Table:
        texts, _, _ = self._described
        src, dst = (coded(self._ranks(ends), texts) for ends in src_and_dst(found))
        attributes = found[ATTRIBUTES]
        attributes = pc.if_else(pc.equal(attributes, ""), "{}", attributes)
        self._check_erased()
        return pa.table({SRC: src, DST: dst, OP: found[OP], ATTRIBUTES: attributes})

    @cached_property
    def _described(self) -> tuple[pa.Array, pa.DictionaryArray, I32]:
        """The names and tables of all items shown, and the position of each item among them."""
        numbers, ranks = self._found.search.ranked(self._erased)
        return (*self._names.described(numbers), ranks)

    def _ranks(self, items: ItemNumbers) -> I64:
        *_, ranks = self._described
        return np.asarray(ranks[self._found.search.places(items)])

    def _check_erased(self) -> None:
        """Raise Unavailable if an item was erased since the search.

        Earlier rows were already sent, so the answer cannot be started again without the erased
        item.
        """
        if self._names.erased is not self._erased:
            raise Unavailable(
                "The answer is incomplete",
                "Items were erased while it was being sent",
                "Ask again",
            )

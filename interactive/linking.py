"""Link two results, so that each highlights the other's rows that derive from the same records."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from provhouse.model.errors import UsageError

from .index.rid_indexes import Chain, Rows, chained, distinct

if TYPE_CHECKING:
    from .result import Result


class Linked:
    """Rows of two results, linked if they share a record of a base table.

    The lineage of both results is indexed and joined once. If the join is small, a highlight then
    reads no records. The results may share any number of tables; ``table`` restricts the link to
    one of them. Raises UsageError if they share no table, or a table has changed.
    """

    def __init__(self, first: "Result", second: "Result", table: str | None = None) -> None:
        if first.connection is not second.connection:
            raise UsageError("The results cannot be linked", "They belong to different connections")
        self.results = (first, second)
        shared = set(first.tables) & set(second.tables)
        chosen = sorted(
            place for place in shared if table is None or table.lower() == place.name.lower()
        )
        if not chosen:
            raise UsageError(
                "The results cannot be linked",
                f"They share no table{f' {table!r}' if table else ''}",
                "Link results of queries that read the same table",
            )
        self._chains = [
            _joined(one, other)
            for place in chosen
            for one in first.chains(place)
            for other in second.chains(place)
        ]

    @property
    def size(self) -> int:
        """The size of the link in bytes."""
        return sum(chain.size for chain in self._chains)

    def highlight(self, result: "Result", rows: Iterable[int]) -> Rows:
        """Return the rows of the other result that share a record with ``rows`` of ``result``.

        Raises UsageError if ``result`` is neither of the two, if it has no such row, or if a table
        has changed.
        """
        if result not in self.results:
            raise UsageError("The result is not one of the two linked results")
        for each in self.results:
            each.check_unchanged()
        chosen = result.positions(rows)
        forth = result is self.results[0]
        found = [
            chain.backward(chosen) if forth else chain.forward(chosen) for chain in self._chains
        ]
        return distinct(np.concatenate(found))


def _joined(one: Chain, other: Chain) -> Chain:
    """Return the chain from one result to the records, and on to the other result."""
    back = [link.inverse() for link in reversed(other.links)]
    return chained([*one.links, *back])

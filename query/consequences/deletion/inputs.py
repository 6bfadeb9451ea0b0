"""Find the derivations of an item and their rows, with shared derivations in place of groups."""

from collections.abc import Iterator

import numpy as np

from provhouse.model.arrays import I64, ItemNumbers, among

from .derivation_index import COPY, Derivations


class DerivationInputs:
    """A look-up of the inputs of items. The inputs of a group replace the group."""

    def __init__(self, graph: Derivations, groups: ItemNumbers) -> None:
        self._graph, self._groups = graph, groups

    def ways(self, place: int) -> Iterator[int]:
        """Yield the derivations of a place.

        If the place is a copy of a group, yield the derivations of the group instead.
        """
        first = self._graph.first
        for way in range(first[place], first[place + 1]):
            if self._graph.kind[way] == COPY:
                group = int(self._graph.src[self._graph.rows_of(way)[0]])
                yield from range(first[group], first[group + 1])
            else:
                yield way

    def rows(self, way: int) -> I64:
        """Return the rows of a derivation; a group's own rows replace its rows from the group."""
        rows = self._graph.rows_of(way)
        src = self._graph.src[rows]
        grouped = among(self._graph.items(src), self._groups)
        if not grouped.any():
            return rows
        first = self._graph.first
        inner = (of for group in src[grouped] for of in range(first[group], first[group + 1]))
        return np.concatenate([rows[~grouped], *map(self.rows, inner)])

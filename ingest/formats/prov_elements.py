"""Count the declared entities and activities of a PROV document that do not occur in a triple.

A declaration alone does not make an item. For each name, only a 64-bit hash is kept in memory.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from .made_rows import Row
from .prov_terms import ACTIVITY, ENTITY


class Elements:
    """The entities and activities that a document declares."""

    def __init__(self) -> None:
        self._declared = {ENTITY: array("q"), ACTIVITY: array("q")}

    def add(self, kind: str, item: str) -> None:
        """Add a declared entity or activity; agents are counted elsewhere."""
        if kind in self._declared:
            self._declared[kind].append(hash(item))

    def counted(self, rows: Iterable[Row], unread: Counter[str]) -> Iterator[Row]:
        """Yield all triples, then count in ``unread`` the declared elements not in a triple."""
        named = array("q")
        for row in rows:
            named.extend((hash(row["src"]), hash(row["dst"])))
            yield row
        for kind, declared in self._declared.items():
            unread[f"{kind} in no triple"] += np.setdiff1d(declared, named).size

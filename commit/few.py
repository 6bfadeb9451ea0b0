"""Texts of nodes and relationships in Neo4j: short lists, and names that fit into an index."""

import hashlib
from collections.abc import Sequence

import numpy as np

KEY_LENGTH = 1000
"""The most characters of a name that are written to Neo4j."""
TEXTS_KEPT = 12
"""The most item tables or ops that a node or relationship lists."""
TEXTS_SURE = 3
"""The number of item tables or ops that are listed whatever their length."""
LIST_BYTES = 120
"""The size in bytes of Neo4j's blocks for lists; a longer list takes two blocks or more."""
LIST_HEAD, TEXT_HEAD = 5, 4
"""The bytes that Neo4j adds to a list, and to each string of it."""


def few(texts: Sequence[str]) -> list[str] | None:
    """Return the first strings in order, with an ellipsis if there are more.

    The result has at most ``TEXTS_KEPT`` strings, and only as many as fit into one block of Neo4j,
    but at least ``TEXTS_SURE``. Empty strings are left out. Without any other string, return None.
    """
    ordered = sorted(filter(None, texts))
    ends = LIST_HEAD + np.cumsum([TEXT_HEAD + len(text.encode()) for text in ordered])
    if len(ordered) <= TEXTS_SURE or (len(ordered) <= TEXTS_KEPT and ends[-1] <= LIST_BYTES):
        return ordered or None
    fitting = int(np.searchsorted(ends, LIST_BYTES - TEXT_HEAD - len("…".encode()), "right"))
    return [*ordered[: max(TEXTS_SURE, min(fitting, TEXTS_KEPT))], "…"]


def node_key(name: str) -> str:
    """Return the name of a node. Long names are cut: Neo4j's indexes allow ~8,000 bytes."""
    if len(name) <= KEY_LENGTH:
        return name
    return f"{name[:KEY_LENGTH]}… {hashlib.sha256(name.encode()).hexdigest()[:16]}"

"""Strings of nodes and relationships in Neo4j: short lists, and names that fit into an index."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.cypher.bulk import as_text

KEY_LENGTH = 1000
"""The largest number of characters of a name that are written to Neo4j."""
TEXTS_KEPT = 12
"""The largest number of item tables, or of ops, in the list of a node or relationship."""
TEXTS_SURE = 3
"""The number of item tables, or of ops, that are listed however long they are."""
LIST_BYTES = 120
"""The size in bytes of a block in which Neo4j stores lists. A longer list takes several blocks."""
SEPARATOR = "\x1f"
INLINE_BYTES = 25
"""The size of a string that Neo4j stores with a number in one record of properties.

A longer string takes a second record, or a block of 128 bytes. Neo4j stores a character in 6 bits
if the string has only letters and commas, or lower-case letters, digits and common punctuation. If
a string has both digits and capitals beside a comma, a character takes 8 bits, so 20 characters
take a second record.
"""
CUT = "..."
LIST_HEAD, TEXT_HEAD = 5, 4
"""The number of bytes that Neo4j adds to each list, and to each string in a list."""


def few(texts: Sequence[str]) -> list[str] | None:
    """Return the first strings in alphabetical order, followed by an ellipsis if there are more.

    The result has at most ``TEXTS_KEPT`` strings, and no more than fit into one block of Neo4j, but
    at least ``TEXTS_SURE``. Empty strings are left out. If no string remains, the result is None.
    """
    ordered = sorted(filter(None, texts))
    ends = LIST_HEAD + np.cumsum([TEXT_HEAD + len(text.encode()) for text in ordered])
    if len(ordered) <= TEXTS_SURE or (len(ordered) <= TEXTS_KEPT and ends[-1] <= LIST_BYTES):
        return ordered or None
    fitting = int(np.searchsorted(ends, LIST_BYTES - TEXT_HEAD - len("…".encode()), "right"))
    return [*ordered[: max(TEXTS_SURE, min(fitting, TEXTS_KEPT))], "…"]


def few_of_each(lists: pa.ChunkedArray) -> pa.ListArray:
    """Return for each list the text of its ``few`` strings, cut to what needs no further record.

    A set or dependency has few other properties, so this text decides how large it is in Neo4j.
    Equal lists are computed once.
    """
    encoded = pc.binary_join(lists, SEPARATOR).combine_chunks().dictionary_encode()
    shown = [few(text.split(SEPARATOR)) for text in encoded.dictionary.to_pylist()]
    texts = as_text(pa.array(shown, pa.list_(pa.string()))).to_pylist()
    cut = [None if text is None else [_cut(text)] for text in texts]
    return pa.array(cut, pa.list_(pa.string())).take(encoded.indices)


def _cut(text: str) -> str:
    head = text.encode()
    if len(head) <= INLINE_BYTES:
        return text
    return head[: INLINE_BYTES - len(CUT)].decode(errors="ignore") + CUT


def node_key(name: str) -> str:
    """Return the name of a node, shortened if it is long: Neo4j's indexes allow ~8,000 bytes."""
    if len(name) <= KEY_LENGTH:
        return name
    return f"{name[:KEY_LENGTH]}… {hashlib.sha256(name.encode()).hexdigest()[:16]}"

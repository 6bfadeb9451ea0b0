"""Suggest stored names that are similar to a name that is not stored.

The search first looks up variants of the name, for example those that typing errors produce. Each
variant costs one look-up among the sorted hashes, so the search is as fast in a large warehouse as
in a small one. If too few variants are stored, the search scans a part of the stored names. It
looks for names that differ from the given name only in case, or that begin with it in any case.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import product
from string import ascii_lowercase, ascii_uppercase, digits
from unicodedata import normalize

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Column
from provhouse.model.columns import NAME
from provhouse.model.derivations import GROUP_PREFIX
from provhouse.store.names.names import Names
from provhouse.store.names.scan import scan

MAX_NAMES = 3
"""The maximum number of suggestions."""
MAX_VARIED_LENGTH = 100
"""The length of the longest name to vary letter by letter; longer names have too many variants."""
SCANNED_NAMES = 1 << 21
"""The approximate number of names to scan, which takes a fraction of a second."""
_MARKS = " -_./:#"
_KINDS = (ascii_lowercase, ascii_uppercase, digits, _MARKS)


def similar_names(names: Names, asked: str) -> list[str]:
    """Return up to ``MAX_NAMES`` stored names like ``asked``, the most similar first."""
    tried = pa.array(dict.fromkeys(_variants(asked)), pa.string())
    stored = np.flatnonzero(names.locate(tried) >= 0)
    found: list[str] = tried.take(pa.array(stored[:MAX_NAMES])).to_pylist()
    if len(found) < MAX_NAMES and asked:
        found += _scan_names(names, asked)
    shown = (name for name in dict.fromkeys(found) if not name.startswith(GROUP_PREFIX))
    return list(shown)[:MAX_NAMES]


def close_matches(asked: str, names: Sequence[str]) -> list[str]:
    """Return up to ``MAX_NAMES`` of ``names``, the most similar first; case is ignored."""
    lower: dict[str, list[str]] = {}
    for name in names:
        lower.setdefault(name.lower(), []).append(name)
    found = get_close_matches(asked.lower(), lower, MAX_NAMES)
    return [name for each in found for name in lower[each]][:MAX_NAMES]


def _variants(asked: str) -> Iterator[str]:
    """Yield names that may be meant: other spellings, names with one typing error, and parts."""
    forms = (asked, asked.strip(), asked.lower(), asked.upper(), asked.title(), asked.swapcase())
    yield from forms
    yield from (normalize(form, asked) for form in ("NFC", "NFD", "NFKC"))
    for mark, other in product((m for m in _MARKS if m in asked), _MARKS):
        yield from (form.replace(mark, other) for form in forms)
    if len(asked) > MAX_VARIED_LENGTH:
        return
    for form in dict.fromkeys((asked, asked.lower(), asked.upper())):
        yield from _misspelled(form)


def _misspelled(asked: str) -> Iterator[str]:
    """Yield names with one typing error, and parts of the name."""
    cuts = [(asked[:at], asked[at:]) for at in range(len(asked) + 1)]
    yield from (f"{a}{b[1]}{b[0]}{b[2:]}" for a, b in cuts if len(b) > 1)
    yield from (a + b[1:] for a, b in cuts if b)
    yield from (a + other + b[1:] for a, b in cuts if b for other in _characters_like(b[0]))
    yield from (a + more + b for a, b in cuts for more in _characters_like(a[-1:] + b[:1]))
    half = len(asked) // 2
    yield from (part for a, b in reversed(cuts) for part in (a, b) if len(part) > half)


def _characters_like(characters: str) -> str:
    """Return all characters of the same kinds as the given characters.

    Kinds are, for example, digits and capitals.
    """
    return "".join(kind for kind in _KINDS if any(c in kind for c in characters)) + characters


def _scan_names(names: Names, asked: str) -> list[str]:
    """Return names that differ from ``asked`` only in case, then short names that begin with it.

    Case is ignored in these beginnings too.
    """

    def alike(rows: pa.Table, first: int) -> tuple[list[str], list[str]]:
        begun = rows[NAME].filter(pc.starts_with(pc.utf8_lower(rows[NAME]), asked.lower()))
        same = begun.filter(pc.equal(pc.utf8_lower(begun), asked.lower()))
        return same.to_pylist(), _shortest(begun)

    pieces = list(scan(names, alike, most=SCANNED_NAMES))
    longer = pa.array([name for _, begun in pieces for name in begun], pa.string())
    return [name for same, _ in pieces for name in same] + _shortest(longer)


def _shortest(names: Column) -> list[str]:
    rows = pa.table({NAME: names, "length": pc.utf8_length(names)})
    first = rows.sort_by([("length", "ascending"), (NAME, "ascending")]).slice(0, MAX_NAMES)
    texts: list[str] = first[NAME].to_pylist()
    return texts

"""The glossary explains every noun that users see in the interface."""

import re
from pathlib import Path

import pytest

import provhouse
import provhouse.interactive
import provhouse.pandas
import provhouse.polars
from provhouse import revised

GLOSSARY = Path(__file__).parent.parent.parent / "model" / "glossary.md"
OTHER = {
    "rows": "row id",
    "warehouse": "trace",
    "summary": "ingest",
    "each": "alternatives",
    "changed": "change",
}
"""Words whose meaning is explained under another term.

The word warehouse has no term of its own, because the whole page is about warehouses.
"""


def terms() -> set[str]:
    """Return the words in all terms of the glossary, in the singular."""
    lines = re.findall(r"^\| ([^|]+) \|", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    return {_singular(word) for line in lines for word in re.findall(r"[\w-]+", line.lower())}


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _nouns(module: object) -> set[str]:
    """Return the words in the names of the classes that a module exports, except errors."""
    classes = [
        name
        for name in getattr(module, "__all__", ())
        if isinstance(kind := getattr(module, name), type) and not issubclass(kind, Exception)
    ]
    names = [name.replace("WhatIf", "What-if") for name in classes]
    return {word.lower() for name in names for word in re.findall(r"[A-Z][a-z-]+", name)}


MODULES = [provhouse, provhouse.interactive, provhouse.pandas, provhouse.polars, revised]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.__name__))
def test_every_public_noun_is_explained(module: object) -> None:
    known = terms()
    missing = {
        noun
        for noun in _nouns(module)
        if not {_singular(noun), _singular(OTHER.get(noun, noun).split()[0])} & known
    }
    assert missing == set()


def test_no_term_is_explained_twice() -> None:
    lines = re.findall(r"^\| ([^|]+) \|", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    each = [term.strip() for line in lines for term in line.split(",") if term.strip() != "term"]
    assert sorted(each) == sorted(set(each))

"""Apply a question's filters to a method's result; all methods share this code.

``docs/questions.md`` defines each filter. Filters work on item numbers and whole columns. Only two
filters need look-ups: a filter by table looks up the tables of items, and a limit looks up the
names of items with the same depth.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.answer import MissingKeys
from provhouse.model.arrays import I64, Bools, Column, ItemNumbers, among, minus, union
from provhouse.model.attributes import as_text
from provhouse.model.columns import ATTRIBUTES, OP
from provhouse.model.question import Direction, Question
from provhouse.store.names.names import Names
from provhouse.store.tables.touching import touching

from ..methods.method import MethodResult, near_and_far, src_and_dst
from ..reading.recurse import recurse

_SAMPLE = 10_000
"""If a key of ``where`` is missing, the attribute keys of up to this many triples are listed."""
_OUTSIDE = -1
"""An artificial item that is linked to all start items, so that one search covers them."""
_PAIR = r'"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*",'
"""Matches one key and value in canonical attributes, and the comma after them."""
_quoted = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class Filtered:
    """The part of a method's result that a question shows."""

    result: MethodResult
    hidden: int
    """The number of items that were left out because of a filter or a limit."""
    erased: int
    """The number of erased items found. Erased items are not counted as hidden."""
    links: int
    """The number of triples found that lead from or to an erased item."""
    truncated: str | None
    """The option that made the answer incomplete: ``limit`` or ``depth``; otherwise None."""
    missing_keys: MissingKeys | None = None
    """The keys of ``where`` that no triple of the result has; None if any item is shown."""


def apply_filters(
    found: MethodResult, asked: ItemNumbers, question: Question, names: Names
) -> Filtered:
    """Return the part that the question shows of ``found``, a method's result for ``asked``."""
    # Filter before removing erased items, since paths may lead through them.
    shown = without_erased(_filter(found, question, names), names.erased)
    erased = int(among(found.items, names.erased).sum())
    truncated = "depth" if len(found.unexpanded) else None
    if question.limit is not None and len(shown.items) > question.limit:
        shown, truncated = _nearest(shown, asked, question.limit, names), "limit"
    hidden = len(found.items) - erased - len(shown.items)
    links = int(touching(found.triples, names.erased).sum())
    missing = None if len(shown.items) else _missing_keys(found, question, names)
    return Filtered(shown, hidden, erased, links, truncated, missing)


def _missing_keys(found: MethodResult, question: Question, names: Names) -> MissingKeys | None:
    """Return the keys of ``where`` that no visible triple has, or None if there are none."""
    visible = found.triples.filter(pa.array(~touching(found.triples, names.erased)))
    texts = visible[ATTRIBUTES]
    missing = tuple(
        key
        for key in dict.fromkeys(key for key, _ in question.where)
        if not pc.any(pc.match_substring_regex(texts, has_key(key))).as_py()
    )
    if not missing or not len(texts):
        return None
    first = {text or "{}" for text in texts.slice(0, _SAMPLE).to_pylist()}
    return MissingKeys(missing, tuple(sorted({key for text in first for key in json.loads(text)})))


def has_key(key: str) -> str:
    """Return a pattern that matches canonical attributes from the start to the value of a key."""
    return rf"^\{{(?:{_PAIR})*{re.escape(_quoted(key))}:"


def without_erased(found: MethodResult, erased: ItemNumbers) -> MethodResult:
    """Return the result without erased items and without the triples that touch erased items."""
    if not len(erased):
        return found
    return found.select(~among(found.items, erased), ~touching(found.triples, erased))


def _filter(found: MethodResult, question: Question, names: Names) -> MethodResult:
    last = _last(found, question.direction) if question.ends else None
    if question.through is not None:
        found = _through(found, question.through, question.direction, names)
    if question.ops or question.where:
        visible = ~touching(found.triples, names.erased)  # triples of erased items match nothing
        found = _with_triples(found, visible & _matching_triples(found.triples, question))
    if question.tables:
        found = _with_items(found, _in_tables(found.items, question.tables, names))
    if last is not None:
        found = _with_items(found, among(found.items, last))
    return found


def _nearest(found: MethodResult, asked: ItemNumbers, limit: int, names: Names) -> MethodResult:
    """Return the first ``limit`` items in the order of answers: by depth, then by name.

    A triple from or to an omitted item is left out too, unless the omitted item is in ``asked``.
    """
    farthest = np.partition(found.depths, limit - 1)[limit - 1]
    kept = found.depths < farthest
    equal = np.flatnonzero(found.depths == farthest)
    by_name = np.asarray(pc.sort_indices(names.names(ItemNumbers(found.items[equal]))))
    kept[equal[by_name[: limit - int(kept.sum())]]] = True
    cut = np.sort(found.items[~kept & ~np.isin(found.items, asked)])
    src, dst = src_and_dst(found.triples)
    return found.select(kept, ~among(src, cut) & ~among(dst, cut))


def _last(found: MethodResult, direction: Direction) -> I64:
    """Return the items at which all paths end, even without the depth limit."""
    near, _ = near_and_far(found.triples, direction)
    return minus(found.items, np.concatenate([near, found.unexpanded]))


def _through(found: MethodResult, table: str, direction: Direction, names: Names) -> MethodResult:
    """Return the items and triples on paths through any item of ``table``."""
    passed = found.items[_in_tables(found.items, [table], names)]
    near, far = near_and_far(found.triples, direction)
    behind = reached(near, far, passed)
    before = reached(far, near, passed)
    items = among(found.items, behind) | among(found.items, before)
    return found.select(items, among(near, behind) | among(far, before))


def reached(near: I64, far: I64, items: I64) -> I64:
    """Return, in order, ``items`` and all items that can be reached from them along the triples."""
    into = np.full(len(items), _OUTSIDE)
    reached = recurse(np.append(near, into), np.append(far, items), _OUTSIDE)
    return np.sort(reached.items)


def _matching_triples(triples: pa.Table, question: Question) -> Bools:
    kept = np.ones(triples.num_rows, bool)
    if question.ops:
        kept &= _bools(pc.is_in(triples[OP], value_set=pa.array(question.ops, pa.string())))
    return kept & with_attributes(triples[ATTRIBUTES], question.where)


def with_attributes(attributes: Column, where: Sequence[tuple[str, str]]) -> Bools:
    """Mark the canonical attributes that have one of the given values for each key of ``where``."""
    kept = np.ones(len(attributes), bool)
    for key in dict.fromkeys(key for key, _ in where):
        values = [value for other, value in where if other == key]
        kept &= _bools(pc.match_substring_regex(attributes, _pattern(key, values)))
    return kept


def _pattern(key: str, values: list[str]) -> str:
    """Return a pattern for canonical attributes in which the key has one of the values.

    The pattern is anchored at the start and matches pair by pair, so that text inside a value is
    not taken for a pair.
    """
    given = "|".join(re.escape(_quoted(as_text(value))) for value in values)
    return rf"{has_key(key)}(?:{given})[,}}]"


def _in_tables(items: ItemNumbers, tables: Iterable[str], names: Names) -> Bools:
    return _bools(pc.is_in(names.tables(items), value_set=pa.array(tables, pa.string())))


def _with_triples(found: MethodResult, kept: Bools) -> MethodResult:
    """Return only the triples of the result that ``kept`` marks, and the items at their ends."""
    src, dst = src_and_dst(found.triples)
    touched = union(src[kept], dst[kept])
    return found.select(among(found.items, touched), kept)


def _with_items(found: MethodResult, kept: Bools) -> MethodResult:
    """Return only the items of the result that ``kept`` marks, and the triples at these items."""
    items = np.sort(found.items[kept])
    src, dst = src_and_dst(found.triples)
    return found.select(kept, among(src, items) | among(dst, items))


def _bools(column: Column) -> Bools:
    return np.asarray(column, dtype=bool)

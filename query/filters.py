"""What of an answer is shown: filters on what a method found, alike for every method.

``docs/questions.md`` says what each of them means. All of it works on numbers and on whole columns;
only tables of items, and names of those that are equally far, are looked up.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools, Column, among
from provhouse.model.attributes import as_text
from provhouse.model.columns import ATTRIBUTES, OP
from provhouse.model.question import Direction, Question
from provhouse.store.names.names import Names
from provhouse.store.tables.links import touching

from .methods.method import MethodResult, near_and_far, src_and_dst
from .recurse import recurse

_OUTSIDE = -1
"""Leads to several items at once; no item has this number."""
_PAIR = r'"(?:[^"\\]|\\.)*":"(?:[^"\\]|\\.)*",'
"""A key and its value in canonical attributes, and what parts them from the next."""
_quoted = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True)
class Filtered:
    """What is left of an answer."""

    result: MethodResult
    hidden: int
    """How many items are left out."""
    erased: int
    """How many items were found that were erased; they are not among those left out."""
    links: int
    """How many triples were found that lead from or to one of these."""
    truncated: str | None
    """What cut the answer where there was more: the limit or the depth."""


def apply_filters(found: MethodResult, item: int, question: Question, names: Names) -> Filtered:
    """What a question wants to be shown of all that was found for ``item``."""
    # Filters look at ways that lead on through erased items.
    shown = without_erased(_filter(found, question, names), names.erased)
    erased = int(among(found.items, names.erased).sum())
    truncated = "depth" if len(found.unexpanded) else None
    if question.limit is not None and len(shown.items) > question.limit:
        shown, truncated = _nearest(shown, item, question.limit, names), "limit"
    hidden = len(found.items) - erased - len(shown.items)
    links = int(touching(found.triples, names.erased).sum())
    return Filtered(shown, hidden, erased, links, truncated)


def without_erased(found: MethodResult, erased: I64) -> MethodResult:
    """What was found but for erased items, and for triples that lead from or to one."""
    if not len(erased):
        return found
    return found.select(~among(found.items, erased), ~touching(found.triples, erased))


def _filter(found: MethodResult, question: Question, names: Names) -> MethodResult:
    last = _last(found, question.direction) if question.ends else None
    if question.through is not None:
        found = _through(found, question.through, question.direction, names)
    if question.ops or question.where:
        visible = ~touching(found.triples, names.erased)  # what others once said matches nothing
        found = _with_triples(found, visible & _matching_triples(found.triples, question))
    if question.tables:
        found = _with_items(found, _in_tables(found.items, question.tables, names))
    if last is not None:
        found = _with_items(found, among(found.items, last))
    return found


def _nearest(found: MethodResult, item: int, limit: int, names: Names) -> MethodResult:
    """The first items in the answer's order: by depth, then name.

    The triples of the others go with them; ``item``, the asked one, keeps its own.
    """
    farthest = np.partition(found.depths, limit - 1)[limit - 1]
    kept = found.depths < farthest
    equal = np.flatnonzero(found.depths == farthest)
    by_name = np.asarray(pc.sort_indices(names.names(found.items[equal])))
    kept[equal[by_name[: limit - int(kept.sum())]]] = True
    cut = np.sort(found.items[~kept & (found.items != item)])
    src, dst = src_and_dst(found.triples)
    return found.select(kept, ~among(src, cut) & ~among(dst, cut))


def _last(found: MethodResult, direction: Direction) -> I64:
    """Items from which no triple leads on, neither in the answer nor beyond its depth."""
    near, _ = near_and_far(found.triples, direction)
    return np.setdiff1d(found.items, np.concatenate([near, found.unexpanded]))


def _through(found: MethodResult, table: str, direction: Direction, names: Names) -> MethodResult:
    """Items and triples that come before or behind an item of the table on some way."""
    passed = found.items[_in_tables(found.items, [table], names)]
    near, far = near_and_far(found.triples, direction)
    behind = _reached(near, far, passed)
    before = _reached(far, near, passed)
    items = among(found.items, behind) | among(found.items, before)
    return found.select(items, among(near, behind) | among(far, before))


def _reached(near: I64, far: I64, items: I64) -> I64:
    """These items and all that they reach, in order."""
    into = np.full(len(items), _OUTSIDE)
    reached = recurse(np.append(near, into), np.append(far, items), _OUTSIDE)
    return np.sort(reached.items)


def _matching_triples(triples: pa.Table, question: Question) -> Bools:
    kept = np.ones(triples.num_rows, bool)
    if question.ops:
        kept &= _bools(pc.is_in(triples[OP], value_set=pa.array(question.ops, pa.string())))
    for key in dict.fromkeys(key for key, _ in question.where):
        values = [value for other, value in question.where if other == key]
        kept &= _bools(pc.match_substring_regex(triples[ATTRIBUTES], _pattern(key, values)))
    return kept


def _pattern(key: str, values: list[str]) -> str:
    """Matches canonical attributes where the key has one of the values.

    From the beginning and pair by pair, since a value may hold what looks like a pair.
    """
    given = "|".join(re.escape(_quoted(as_text(value))) for value in values)
    return rf"^\{{(?:{_PAIR})*{re.escape(_quoted(key))}:(?:{given})[,}}]"


def _in_tables(items: I64, tables: Iterable[str], names: Names) -> Bools:
    return _bools(pc.is_in(names.tables(items), value_set=pa.array(tables, pa.string())))


def _with_triples(found: MethodResult, kept: Bools) -> MethodResult:
    """Some triples, and the items at either end of one."""
    src, dst = src_and_dst(found.triples)
    touched = np.union1d(src[kept], dst[kept])
    return found.select(among(found.items, touched), kept)


def _with_items(found: MethodResult, kept: Bools) -> MethodResult:
    """Some items, and the triples that begin or end in one."""
    items = np.sort(found.items[kept])
    src, dst = src_and_dst(found.triples)
    return found.select(kept, among(src, items) | among(dst, items))


def _bools(column: Column) -> Bools:
    return np.asarray(column, dtype=bool)

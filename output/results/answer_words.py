"""Sentences about an answer: a headline, notes, and the method that found it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ..escape import shown
from ..phrases import counted, listed
from ..sections import subject
from .answer_size import answer_size
from .derivation_list import as_of_sentence, erased_sentence, has_sets, read_sentence
from .exactness_notes import exactness_notes
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from rich.text import Text

    from provhouse.model.answer import Answer, MissingKeys


def headline(answer: "Answer") -> "Text":
    """Return the sentence that sums up the answer."""
    table = f" ({shown(answer.table)})" if answer.table else ""
    return subject(answer.item, f"{table} {_found(answer)}")


def _found(answer: "Answer") -> str:
    size = answer_size(answer)
    if not size.items:
        return _nothing(answer)
    among = f" in {counted(size.tables, 'table')}" if size.tables else ""
    verb = "derives from" if answer.direction == "upstream" else "affects"
    return (
        f"{verb} {counted(size.items, 'item')}{among}, up to {counted(size.hops, 'hop')} away, "
        f"through {counted(size.triples, 'triple')}."
    )


def _nothing(answer: "Answer") -> str:
    if answer.hidden:
        items = counted(answer.hidden, "item")
        return f"has {items} {answer.direction}, but none matches the filters."
    if answer.erased:
        return f"has nothing {answer.direction} except erased items."
    if answer.samples:
        return f"has nothing {answer.direction} that is known."
    if answer.direction == "upstream":
        return "has nothing upstream: it is a source."
    return "has nothing downstream: nothing derives from it."


def notes(answer: "Answer") -> Iterator[str]:
    """Yield the notes to print before the tables: versions, limits, hidden items, exactness."""
    if answer.versions:
        which = "the newest version" if len(answer.versions) == 1 else "all versions together"
        yield f"The answer is that of {which}: {listed(answer.versions, 10)}."
    if answer.column is not None:
        yield _column_sentence(answer)
    if answer.truncated == "depth":
        yield "The answer stops at --depth. Raise or omit --depth to see what lies beyond."
    elif answer.truncated == "limit":
        yield "The answer stops at --limit. Raise or omit --limit to see more items."
    elif answer.truncated:
        yield f"The answer was cut short ({shown(answer.truncated)})."
    if answer.hidden and answer_size(answer).items:
        verb = "is" if answer.hidden == 1 else "are"
        yield f"{counted(answer.hidden, 'more item')} {answer.direction} {verb} not shown."
    if answer.missing_keys:
        yield _missing(answer.missing_keys)
    if answer.erased:
        yield erased_sentence(answer.erased)
    if has_sets(answer):
        yield f"The item is in set {answer.set_id:,}."
    yield from exactness_notes(answer)
    yield from sample_notes(answer)
    if not answer.complete and not answer.samples:
        yield "The answer is incomplete: part of the data is missing."
    if answer.items.num_rows and _leads_back(answer.items["item"].combine_chunks(), answer.item):
        yield "The item itself is among them: it lies on a cycle."


def _column_sentence(answer: "Answer") -> str:
    values = [each.table for each in answer.columns if each.role == "value"]
    given = f"made from values of {listed(values, 20)}" if values else "made from no values"
    unknown = any(each.role == "unknown" for each in answer.columns)
    rest = ". What the tables marked ? give to it is unknown: their rows were not captured"
    return f"The column {shown(str(answer.column))} is {given}{rest * unknown}."


def _missing(keys: "MissingKeys") -> str:
    missing = " or ".join(shown(key, 60) for key in keys.missing)
    present = (
        f"Attributes there are: {listed(keys.present, 20)}" if keys.present else "There is none"
    )
    return f"No triple found has an attribute {missing}. {present}."


def _leads_back(items: pa.DictionaryArray, asked: str) -> bool:
    code = pc.index(items.dictionary, pa.scalar(asked, items.dictionary.type)).as_py()
    return bool(code >= 0 and pc.index(items.indices, pa.scalar(code, pa.int32())).as_py() >= 0)


def how(answer: "Answer") -> str:
    """Return sentences about the method, the data that it read, and the generation."""
    why = shown(answer.why.rstrip("."))
    return f"\nMethod: {answer.method}. {why}. {read_sentence(answer)} {as_of_sentence(answer)}"

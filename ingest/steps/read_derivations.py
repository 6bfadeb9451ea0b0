"""Convert the strings in columns that describe derivations to kinds, roles and numbers.

The usual values become null: the kind ``unknown``, the role ``input`` and ``times`` 1. So they take
no space, and a file that states them has the same meaning as a file that omits them.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import (
    DERIVATION,
    DESCRIBING,
    DESCRIPTION,
    EXECUTION,
    INVOCATION,
    KIND,
    MODULE,
    OP_KIND,
    ROLE,
    TIMES,
    VALUE,
    WAY,
)
from provhouse.model.derivations import INPUT, KINDS, ROLES, UNKNOWN, WHOLE

_NUMBER = r"^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_WHOLE = r"^[0-9]{1,18}(\.0*)?$"
_LONG = r"^-?[0-9]{16,}(\.[0-9]*)?$"
"""A pattern for numbers of at least 2^53, some of which double precision would round."""
_ROUNDED = "value has more digits than double precision keeps"
_NONE = pa.array(["", "nan", "NaN"])
"""The strings that stand for a missing number. Pandas writes the last two."""

STAGED = {DERIVATION: pa.string()} | {n: t for n, t in DESCRIPTION.items() if n != WAY}
"""The staged columns that describe derivations. A file has only the columns that its input has."""


def with_descriptions(rows: pa.Table) -> tuple[pa.Table, pa.Array | None]:
    """Convert strings to staged columns; return the rows, and the reasons to reject rows.

    The second result has the reason for each row, or null for a valid row. It is None if all rows
    are valid.
    """
    given = [name for name in DESCRIBING if name in rows.column_names]
    if not given:
        return rows, None
    columns, reasons = described(rows)
    rows = rows.drop_columns(given)
    for name in columns.column_names:
        rows = rows.append_column(name, columns[name])
    return rows, reasons if reasons.null_count < len(reasons) else None


def described(rows: pa.Table) -> tuple[pa.Table, pa.Array]:
    """Return the staged columns of ``rows``, and for each row, the reason to reject it.

    The reason is null for a valid row. The columns of ``rows`` are strings, and have the column
    names of traces.
    """
    columns: dict[str, pa.Array] = {}
    reasons = pa.nulls(rows.num_rows, pa.string())
    for name, staged, read, reason in _READERS:
        if name not in rows.column_names:
            continue
        texts = rows[name].combine_chunks()
        columns[staged], wrong = read(texts)
        reasons = pc.if_else(pc.and_(wrong, pc.is_null(reasons)), reason, reasons)
    if VALUE in rows.column_names:
        rounded = _rounded(rows[VALUE].combine_chunks())
        reasons = pc.if_else(pc.and_(rounded, pc.is_null(reasons)), _ROUNDED, reasons)
    return pa.table(columns), reasons


_Read = tuple[pa.Array, pa.Array]


def _text(texts: pa.Array) -> _Read:
    return pc.if_else(pc.equal(texts, ""), None, texts), pa.repeat(False, len(texts))


def _coded(codes: Mapping[str, int], usual: str) -> Callable[[pa.Array], _Read]:
    """Return a function that turns the usual string into null, and other strings into codes."""
    known, numbers = pa.array([*codes]), pa.array([*codes.values()], pa.int8())

    def read(texts: pa.Array) -> _Read:
        at = pc.index_in(texts, known)
        wrong = pc.and_(pc.is_null(at), pc.invert(pc.is_in(texts, pa.array(["", usual, None]))))
        return numbers.take(at), wrong

    return read


def _value(texts: pa.Array) -> _Read:
    given = pc.invert(pc.or_(pc.is_null(texts), pc.is_in(texts, _NONE)))
    fits = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False)
    numbers = pc.if_else(fits, texts, None).cast(pa.float64())
    finite = pc.fill_null(pc.is_finite(numbers), False)
    return pc.add(pc.if_else(finite, numbers, None), 0.0), pc.and_not(given, finite)  # no -0.0


def _rounded(texts: pa.Array) -> pa.Array:
    """Return a mask of the numbers that double precision would round.

    They are integers, or decimals of at least 2^53. Numbers with an exponent are not checked,
    because they were written from double precision.
    """
    found = np.zeros(len(texts), bool)
    long = pc.fill_null(pc.match_substring_regex(texts, _LONG), False)
    for at in np.flatnonzero(np.asarray(long)).tolist():
        text = texts[at].as_py()
        number = float(text)
        same = Decimal(number), Decimal(repr(number) if "." in text else number)
        found[at] = abs(number) >= WHOLE and Decimal(text) not in same
    return pa.array(found)


def _times(texts: pa.Array) -> _Read:
    given = pc.invert(pc.or_(pc.is_null(texts), pc.is_in(texts, _NONE)))
    fits = pc.fill_null(pc.match_substring_regex(texts, _WHOLE), False)
    whole = pc.replace_substring_regex(pc.if_else(fits, texts, None), r"\..*", "")
    numbers = whole.cast(pa.int64())
    above = pc.fill_null(pc.greater(numbers, 0), False)
    return pc.if_else(pc.greater(numbers, 1), numbers, None), pc.and_not(given, above)


def _listed(codes: Mapping[str, int], usual: str) -> str:
    return f"{', '.join(codes)} or {usual}"


def _readers() -> Iterator[tuple[str, str, Callable[[pa.Array], _Read], str]]:
    yield OP_KIND, KIND, _coded(KINDS, UNKNOWN), f"op_kind is not {_listed(KINDS, UNKNOWN)}"
    yield ROLE, ROLE, _coded(ROLES, INPUT), f"role is not {_listed(ROLES, INPUT)}"
    yield VALUE, VALUE, _value, "value is not a finite number"
    yield TIMES, TIMES, _times, "times is not a whole number above 0"
    for name in (DERIVATION, MODULE, INVOCATION, EXECUTION):
        yield name, name, _text, ""


_READERS = tuple(_readers())

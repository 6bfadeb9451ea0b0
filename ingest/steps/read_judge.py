"""Judge the rows of an input file: name the items of valid rows, and reject all other rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools
from provhouse.model.attributes import quoted
from provhouse.model.columns import ATTRIBUTES, DST, INGEST, ROW, SHARED, SRC, TABLES
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern

from ..formats.column_mapping import ID_OF, TABLE_OF
from ..formats.source import REJECTED, Batch, Source
from ..item_naming import with_tables
from .read_derivations import with_descriptions
from .read_ids import dictionary_or_text, names_of, text_or_empty, with_name, with_names
from .read_shared import CONTENT, shared_faults

REJECTS = TABLES["rejects"]


@dataclass(frozen=True)
class Judge:
    """A check for the rows of one input file, under one naming of items."""

    source: Source
    ingest: int
    naming: Naming
    patterns: Mapping[str, Pattern]

    def plain(self, batch: Batch) -> tuple[pa.Table, pa.Table]:
        """Return the valid rows, and the rejected rows with their reasons."""
        rows = batch.rows.append_column(ATTRIBUTES, batch.attributes)
        valid, _, rejects = self._judged(batch, rows, self._lacks(batch, rows))
        return valid, rejects

    def shared(self, batch: Batch) -> tuple[pa.Table, pa.Table]:
        """Return the labelled rows that can be in shared derivations, and the rejected rows.

        The first table has columns that ``LABELLED`` lists.
        """
        rows = batch.rows.append_column(ATTRIBUTES, batch.attributes)
        reasons = shared_faults(rows)
        if batch.scope is not None:
            unscoped = pa.array(_empty(batch.scope))
            lacking = pc.if_else(unscoped, f"no {self.source.columns.scope}", None)
            reasons = pc.coalesce(reasons, lacking)
        valid, bad, rejects = self._judged(batch, rows, reasons)
        kept = pa.array(~bad)
        for end in ID_OF:
            if end not in valid.column_names:  # groups need names instead of ids
                valid = with_name(valid, end, names_of(valid, end, self.patterns))
        if batch.scope is not None:
            labels = valid[SHARED].combine_chunks()
            labels = pc.binary_join_element_wise(batch.scope.filter(kept), labels, "/")
            valid = valid.set_column(valid.column_names.index(SHARED), SHARED, labels)
        content = _content(with_names(rows.filter(kept), self.patterns))
        number = pa.array(batch.numbers_at(np.flatnonzero(~bad)))
        return valid.append_column(ROW, number).append_column(CONTENT, content), rejects

    def _judged(
        self, batch: Batch, rows: pa.Table, reasons: pa.Array | None
    ) -> tuple[pa.Table, Bools, pa.Table]:
        """Return the valid rows, a mask of the rejected rows, and the rejected rows.

        ``reasons`` has, for each row, the reason to reject it, or null. If ``reasons`` is None, no
        row has a reason. Rows with wrong descriptions of derivations are rejected too.
        """
        staged, wrong = with_descriptions(rows)
        given = [each for each in (reasons, wrong) if each is not None]
        why = pc.coalesce(*given) if given else pa.nulls(rows.num_rows, pa.string())
        bad = np.asarray(why.is_valid(), dtype=bool)
        unread = REJECTED.empty_table() if batch.rejected is None else batch.rejected
        if not bad.any():
            return self._named(staged, batch.scope), bad, self._rejects(unread)
        at = np.flatnonzero(bad)
        rejects = pa.table(
            {
                "row": batch.numbers_at(at),
                "reason": why.take(pa.array(at)),
                "content": _content(with_names(rows.take(pa.array(at)), self.patterns)),
            }
        )
        kept = pa.array(~bad)
        scope = None if batch.scope is None else batch.scope.filter(kept)
        rejects = pa.concat_tables([unread, rejects])
        return self._named(staged.filter(kept), scope), bad, self._rejects(rejects)

    def _lacks(self, batch: Batch, rows: pa.Table) -> pa.Array | None:
        """Return a string for each row that lists its missing values, or null if none are missing.

        The result is None if no row has missing values.
        """
        wanted = list(_wanted(rows, batch.scope, self.source.columns.scope))
        lacks = np.zeros(rows.num_rows, np.int8)
        for bit, (_, values) in enumerate(wanted):
            lacks |= _empty(values).astype(np.int8) << bit
        return _reasons([name for name, _ in wanted]).take(pa.array(lacks)) if lacks.any() else None

    def _rejects(self, rows: pa.Table) -> pa.Table:
        """Return rejected rows with the columns of the table ``rejects``."""
        file, ingest = (pa.repeat(each, rows.num_rows) for each in (self.source.name, self.ingest))
        columns = {"file": file, **{name: rows[name] for name in REJECTED.names}, INGEST: ingest}
        return pa.table(columns).cast(REJECTS)

    def _named(self, rows: pa.Table, scope: pa.Array | None) -> pa.Table:
        """Turn the ends of rows into the names of items.

        If the naming is ``table``, the table is put before each name. If there is a scope, the
        scope is put before that. If there is no scope, row ids stay ids. All other ids become
        names.
        """
        for end, table in TABLE_OF.items():
            if end in rows.column_names:
                given = rows[end].combine_chunks()
                names = given
                if self.naming == "table":
                    names = with_tables(names, text_or_empty(rows, table))
                if SHARED in rows.column_names:  # such a row has only one end
                    names = pc.if_else(pc.equal(pc.fill_null(given, ""), ""), None, names)
            elif scope is None and pa.types.is_integer(rows[ID_OF[end]].type):
                continue
            else:
                names = names_of(rows, end, self.patterns)
            if scope is not None:
                names = pc.binary_join_element_wise(scope, names, "/")
            rows = with_name(rows, end, names)
        return rows


def _wanted(
    rows: pa.Table, scope: pa.Array | None, scope_name: str | None
) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """Yield the name and the values of each column that must have a value in valid rows."""
    for end in (SRC, DST):
        if end in rows.column_names:
            yield end, rows[end]
        else:
            yield ID_OF[end], rows[ID_OF[end]]
            yield TABLE_OF[end], rows[TABLE_OF[end]]
    if scope is not None:
        yield scope_name or "", scope


def _reasons(wanted: Sequence[str]) -> pa.Array:
    """Return a reason for each code from 0.

    The bits of a code mark the columns of ``wanted`` with missing values. The reason for code 0 is
    null.
    """
    codes = range(1 << len(wanted))
    lacking = [[n for bit, n in enumerate(wanted) if code >> bit & 1] for code in codes]
    return pa.array([" and ".join(f"no {name}" for name in names) or None for names in lacking])


def _empty(column: pa.ChunkedArray) -> Bools:
    if pa.types.is_integer(column.type):
        return np.asarray(pc.is_null(column), dtype=bool)
    if pa.types.is_dictionary(column.type):
        column = dictionary_or_text(column)
        if pa.types.is_dictionary(column.type):
            empty: Bools = _empty(column.dictionary)[np.asarray(column.indices)]
            return empty
    return np.asarray(pc.equal(pc.fill_null(column, ""), ""), dtype=bool)


def _content(rows: pa.Table) -> pa.Array:
    """Return each row as a JSON object."""
    parts: list[pa.Array | str] = ["{"]
    for number, name in enumerate(rows.column_names):
        value = pc.fill_null(quoted(rows[name].combine_chunks()), "null")
        parts += [f'{", " if number else ""}"{name}": ', value]
    return pc.binary_join_element_wise(*parts, "}", "")

"""Read the descriptions of ops that a user passes with an ingest, and refuse wrong descriptions.

There are only a few descriptions, written by hand or by a program. So if one value is wrong, all
descriptions are refused.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import BORN, DST, EXACTNESS, FUNCTION, KIND, OP, OPERATION, SRC
from provhouse.model.derivations import KINDS, UNKNOWN
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.operations import FUNCTIONS, LEVELS

from .formats.column_mapping import AS_NAMED, ColumnNames, listed
from .formats.discover import sources
from .formats.known_formats import batches, check
from .formats.source import Batch, Source
from .formats.spool import ArrowStream, spooled
from .job import GivenOperations

LABEL = "operations"
"""The name in messages for descriptions that a program passes."""
KNOWN = (*OPERATION, BORN)
"""The columns that a file of descriptions may have. ``provhouse list ops`` also writes ``born``."""
ALLOWED = {KIND: (*KINDS, UNKNOWN), FUNCTION: FUNCTIONS, EXACTNESS: LEVELS}
"""For some columns, the values that are allowed in addition to an empty value."""
_REMEDY = "Correct it and run the command again; nothing was ingested"
_SOURCE, _ROW = "source", "row"
_TEXTS = pa.schema([(name, pa.string()) for name in OPERATION])
_READ = pa.schema([*_TEXTS, (_SOURCE, pa.string()), (_ROW, pa.int64())])
_NO_TRIPLES = pa.table({SRC: pa.array([], pa.string()), DST: pa.array([], pa.string())})


class OperationColumns(ColumnNames):
    """The columns of a file of descriptions, which have other names than the columns of triples."""

    @cached_property
    def marks(self) -> frozenset[str]:
        """The empty set, because these files do not describe derivations."""
        return frozenset()

    @cached_property
    def read_for(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a known name and the column that is read as it; the two are always equal."""
        return tuple((name, name) for name in KNOWN)

    def of(self, present: Collection[str]) -> "OperationColumns":
        """Return this object, whatever columns a file has."""
        return self

    def check(self, place: str, present: Sequence[str]) -> None:
        """Raise BadInput if the column op is missing, or a column is unknown or repeated."""
        if OP not in present:
            found = f"The columns are {listed(present)}" if present else "It is empty"
            raise BadInput(f"{place}: no column op", found, "Add it, or choose another file")
        wrong = sorted(
            {name for name in present if present.count(name) > 1} | {*present} - {*KNOWN}
        )
        if wrong:
            raise BadInput(
                f"{place}: the column {wrong[0]} is unknown or repeated",
                f"The columns that describe operations are {listed(KNOWN)}",
                "Correct the name, or drop the column",
            )


COLUMNS = OperationColumns()


def given_operations(given: Path | ArrowStream, own: Iterable[Path] = ()) -> GivenOperations:
    """Return the descriptions in a file, folder or Arrow batches, one for each op.

    Files must not be in the folders ``own``. Raises BadInput, with the file and the row, for a
    value that is not allowed, an unknown column, and an op with two different descriptions.
    """
    with ExitStack() as stack:
        if isinstance(given, Path):
            found, name = sources([given], None, COLUMNS, [*own]), str(given)
        else:
            found, name = stack.enter_context(spooled(given, LABEL, COLUMNS)), LABEL
        rows = pa.concat_tables([_READ.empty_table(), *map(_rows, found)])
    return GivenOperations(_one_each(rows), name)


@contextmanager
def without_triples(source: str, *, run: str | None, replace: bool) -> Iterator[list[Source]]:
    """Yield sources without rows, to ingest only the descriptions from ``source``.

    Raises UsageError for a run or a replacement, because this would end triples and add none.
    """
    if run is not None or replace:
        raise UsageError(
            "Descriptions are given without triples",
            "A run or a replacement would end all triples that its files do not contain",
            "Leave out the run or the replacement, or name the files with its triples",
        )
    with spooled(_NO_TRIPLES, source, AS_NAMED) as sources:
        yield sources


def _rows(source: Source) -> pa.Table:
    check(source)
    parts = [_checked(source, batch) for batch in batches(source)]
    return pa.concat_tables([_READ.empty_table(), *parts])


def _checked(source: Source, batch: Batch) -> pa.Table:
    """Return the rows of a batch; raise BadInput for the first wrong row."""
    rejected = batch.rejected.slice(0, 1).to_pylist() if batch.rejected else ()
    for row in rejected:
        raise BadInput(f"{source.name}, row {row['row']:,}: {row['reason']}", "", _REMEDY)
    rows = batch.rows
    for name in OPERATION:
        if name not in rows.column_names:
            rows = rows.append_column(name, pa.nulls(rows.num_rows, pa.string()))
    rows = pa.table([_text(rows[name]) for name in OPERATION], OPERATION)
    for name, wrong in _wrong(rows, batch):
        at = pc.index(wrong, True).as_py()
        if at >= 0:
            place = f"{source.name}, row {batch.first_row + at:,}"
            raise BadInput(f"{place}: {_why(name)}", _found(name, rows, batch, at), _REMEDY)
    known = pc.if_else(pc.equal(rows[KIND], UNKNOWN), None, rows[KIND])
    rows = rows.set_column(rows.column_names.index(KIND), KIND, known)
    places = pa.array(range(batch.first_row, batch.first_row + rows.num_rows), pa.int64())
    names = pa.repeat(pa.scalar(source.name), rows.num_rows)
    return rows.append_column(_SOURCE, names).append_column(_ROW, places).cast(_READ)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ``column`` with null in place of empty strings."""
    return pc.if_else(pc.equal(column, ""), None, column)


def _wrong(rows: pa.Table, batch: Batch) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """Yield the name of each column, and a mask of the rows whose values in it are not allowed."""
    yield OP, pc.is_null(rows[OP])
    for name, values in ALLOWED.items():
        yield (
            name,
            pc.and_(rows[name].is_valid(), pc.invert(pc.is_in(rows[name], pa.array(values)))),
        )
    yield "", pc.not_equal(batch.attributes, "")  # JSON keys that the first lines lack


def _why(name: str) -> str:
    if name == OP:
        return "op is missing"
    if not name:
        return "the row has a column that does not describe operations"
    *most, last = ALLOWED[name]
    return f"{name} is not {', '.join(most)} or {last}"


def _found(name: str, rows: pa.Table, batch: Batch, at: int) -> str:
    if name == OP:
        return "It is empty or null"
    value = rows[name][at].as_py() if name else batch.attributes[at].as_py()
    return f"It is {value!r}"


def _one_each(rows: pa.Table) -> pa.Table:
    """Return the rows without duplicates; raise BadInput if two rows describe an op differently."""
    groups = rows.group_by([*OPERATION], use_threads=False)
    each = groups.aggregate([(_SOURCE, "first"), (_ROW, "first")])
    each = each.sort_by(OP).combine_chunks()
    ops = each[OP]
    again = pc.index(pc.equal(ops[:-1], ops[1:]), True).as_py() if len(ops) else -1
    if again >= 0:
        one, other = (
            f"{row[f'{_SOURCE}_first']}, row {row[f'{_ROW}_first']:,}"
            for row in each.slice(again, 2).to_pylist()
        )
        raise BadInput(
            f"The op {ops[again].as_py()!r} has two different descriptions",
            f"See {one}, and {other}",
            "Keep one row. For an op of several kinds, give the kind with each triple (op_kind)",
        )
    return each.select([*OPERATION])

"""Save a result's lineage in a warehouse: its rows become items derived from records."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import sqlglot
from sqlglot import exp

from provhouse.model.arrays import unique
from provhouse.model.errors import UsageError
from provhouse.model.extras import require
from provhouse.model.key_texts import name_text
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.sql.blocks import is_grouped
from provhouse.sql.catalog import TablePlace
from provhouse.sql.quoting import quoted

from .index import kernels
from .index.kernels import Offsets, Rids
from .index.rid_indexes import Chain, Rows
from .planning.apart import is_carried

if TYPE_CHECKING:
    from provhouse.ingest.ingest_summary import Summary

    from .result import Result
    from .session_state import Session

CHUNK = 1 << 20
"""The number of triples in one batch."""


def save(
    con: "Session",
    result: "Result",
    settings: Settings,
    table: str,
    key: str,
    names: Mapping[str, str],
    progress: Progress,
    run: str,
) -> "Summary":
    """Ingest the lineage of all rows of a result; see ``Result.save``."""
    require("spark")
    from provhouse.commit.number_writes import NewWrite, numbered_write
    from provhouse.ingest.from_arrow import from_arrow  # loads numba and pandas, for seconds

    missing = sorted({place.name for place in result.tables} - names.keys())
    if missing:
        raise UsageError(
            f"The records of {missing[0]} have no names",
            f"names has {', '.join(names) or 'none'}",
            f"Name the column that identifies the records: names={{{missing[0]!r}: 'id'}}",
        )
    if key not in result.columns:
        raise UsageError(
            f"The result has no column {key!r}", f"Its columns are: {', '.join(result.columns)}"
        )
    kind = result.kinds[result.columns.index(key)]
    keys = _identifying(result.to_arrow().column(key), kind, key)
    places = list(dict.fromkeys(result.tables))
    columns = {place: _keys_by_rid(con, place, names[place.name]) for place in places}
    _check_versions(settings, {place.name: columns[place] for place in places})
    by_id = all(pa.types.is_integer(column.type) for column in columns.values())
    chains = [(place, chain) for place in places for chain in result.chains(place)]
    aggregates = con.catalog().functions.aggregates
    op = operation(result.query, {place.name for place in places}, aggregates)
    write = NewWrite(
        table,
        (key,),
        (Path(f"query {table}") / uuid4().hex,),  # no file: it stands for the rows
        run,
        path=f"query {table}",
        replaces=not result.added,
        bare=len(result) - int(_derived([chain for _, chain in chains], len(result)).sum()),
    )
    with numbered_write(write, settings, progress) as written:
        rows = _Rows(table, keys, written.suffix, *op, run)
        named = (
            rows.named(batch)
            for place, chain in chains
            for batch in _batches(chain, place.name, columns[place], by_id, len(result))
        )
        reader = pa.RecordBatchReader.from_batches(rows.schema(by_id), named)
        label = f"query {table}"
        return from_arrow(reader, settings, label=label, progress=progress, strict=True)


def _check_versions(settings: Settings, names: Mapping[str, pa.Array]) -> None:
    """Raise UsageError if versioned rows are named without versions: no item has such a name."""
    from provhouse.store.tables.written import read_since
    from provhouse.store.warehouse.layout import Layout

    versioned = {each.table for each in read_since(Layout(settings.warehouse), 0) if each.key}
    for table in sorted(versioned & names.keys()):
        found = names[table].cast(pa.string())
        if not pc.all(pc.match_substring_regex(found, r"@\d+$"), min_count=0).as_py():
            raise UsageError(
                f"The rows of {table} have versions in the warehouse",
                f"A name without a version names no row, for example {_example(found)}",
                f"Add the version, such as id || '@7', and name this column in names[{table!r}]",
            )


def _example(names: pa.Array) -> str:
    plain = names.filter(pc.invert(pc.match_substring_regex(names, r"@\d+$")))
    return repr(plain[0].as_py())


def _derived(chains: Sequence[Chain], rows: int) -> Any:
    """Return, for each row, whether it derives from any record."""
    found = np.zeros(rows, bool)
    for chain in chains:
        found |= _reached([link.csr() for link in chain.links], 0) > 0
    return found


def operation(
    query: str, tables: Collection[str], aggregates: Collection[str] = ()
) -> tuple[str, str]:
    """Return the op of a query's rows, named after the outermost operator, and the kind.

    ``tables`` are the base tables that the query reads, and ``aggregates`` are the names of all
    aggregate functions. The kind is ``unknown`` if none of the other kinds describes exactly when a
    row exists.
    """
    return operation_of(sqlglot.parse_one(query, dialect="duckdb"), tables, aggregates)


def operation_of(
    root: Any, tables: Collection[str], aggregates: Collection[str]
) -> tuple[str, str]:
    """Return the op and the kind of a parsed query.

    In the parsed query, calls of the named aggregates are replaced by aggregate nodes.
    """
    for call in list(root.find_all(exp.Anonymous)):
        if call.name.lower() in aggregates:
            call.replace(exp.AnonymousAggFunc(this=call.name, expressions=call.expressions))
    while isinstance(root, exp.Subquery):
        root = root.this
    op, kind = _outermost(root)
    joined = any(root.find_all(exp.Join))
    if kind == "any" and (joined or any(root.find_all(exp.Group, exp.AggFunc))):
        return op, "unknown"  # more than one record may be needed
    return op, kind if _is_plain(root, {name.lower() for name in tables}) else "unknown"


def _outermost(root: Any) -> tuple[str, str]:
    if isinstance(root, exp.Pivot):
        return "unpivot" if root.args.get("unpivot") else "pivot", "unknown"
    if isinstance(root, exp.Union):
        return "union", "any"
    if isinstance(root, exp.SetOperation):
        return root.key, "unknown"
    if is_grouped(root):
        return "group by", "aggregate"
    if root.args.get("distinct"):
        return "distinct", "any"
    return ("join", "all") if root.args.get("joins") else ("select", "all")


def _is_plain(root: Any, tables: Collection[str]) -> bool:
    """Return whether a query consists only of tables, filters, inner joins, groups and unions."""
    nested = (each for each in root.find_all(exp.Select) if each is not root)
    if any(root.find_all(*_NESTED)) or any(
        not isinstance(each.parent, exp.SetOperation) for each in nested
    ):
        return False
    if any(each.name.lower() not in tables for each in root.find_all(exp.Table)):
        return False  # a view, or a function
    return all(
        join.method in ("", "NATURAL")
        and (join.side or join.kind or "INNER").upper() in ("INNER", "CROSS")
        for join in root.find_all(exp.Join)
    )


_NESTED = (
    exp.Subquery, exp.Window, exp.CTE, exp.Exists, exp.Having, exp.Qualify, exp.Limit, exp.Offset,
    exp.Pivot, exp.TableSample, exp.Lateral,
)  # fmt: skip


class _Rows:
    """The item names and the operation of a result's rows, to add to batches of lineage."""

    def __init__(
        self, table: str, keys: pa.Array, suffix: str, op: str, kind: str, run: str
    ) -> None:
        self._names = pc.binary_join_element_wise(_names(table, keys), suffix, "")
        self._texts = {"dst_table": table, "op": op, "op_kind": kind, "execution": run}

    def schema(self, by_id: bool) -> pa.Schema:
        """Return the schema of all batches."""
        src = ("src_id", pa.int64()) if by_id else ("src", pa.string())
        texts = [(name, pa.string()) for name in ("dst", "derivation", "src_table", *self._texts)]
        return pa.schema([src, *texts])

    def named(self, batch: tuple[Any, Any, str]) -> pa.RecordBatch:
        """Return a batch with names in place of row numbers."""
        ends, rows, source = batch
        dst = self._names.take(pa.array(rows))
        texts = [pa.repeat(text, len(rows)) for text in (source, *self._texts.values())]
        labels = pa.array(rows).cast(pa.string())
        schema = self.schema(pa.types.is_integer(ends.type))
        columns = [ends, dst, labels, *texts]
        (found,) = pa.table([_whole(column) for column in columns], schema=schema).to_batches()
        return found


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _identifying(keys: pa.ChunkedArray, kind: str, what: str) -> Any:
    """Return keys as they name items: integers as they are, all other values as strings."""
    if not (is_carried(kind) or kind == "HUGEINT"):
        raise UsageError(
            f"The column {what!r} cannot name items",
            f"Its type is {kind}",
            "Choose a column of numbers, dates or text, or cast it to text in the query",
        )
    found = keys.combine_chunks() if pa.types.is_integer(keys.type) else name_text(keys)
    if found.null_count or pc.count_distinct(found).as_py() < len(found):
        raise UsageError(
            f"The column {what!r} does not identify the rows",
            "A value is NULL or occurs twice",
            "Choose another column, or compute one in the query",
        )
    return found


def _keys_by_rid(con: "Session", place: TablePlace, column: str) -> pa.Array:
    """Return the records' keys, indexed by rid; NULL for a rid without a record."""
    kinds = con.find(place.sql())[1]
    columns = {name.lower(): name for name in kinds}
    if column.lower() not in columns:
        raise UsageError(
            f"The table {place.name} has no column {column!r}",
            f"Its columns are: {', '.join(columns.values())}",
        )
    kind = kinds[columns[column.lower()]]
    name = quoted(columns[column.lower()])
    with con.lock:
        query = f"select {name}, rowid from {place.sql()} order by rowid"
        found = con.duckdb.sql(query).to_arrow_table()
    keys = _identifying(found.column(0), kind, column)
    rids = found.column(1).to_numpy()
    if rids.size and int(rids[-1]) + 1 > rids.size:  # rows were deleted
        places = np.full(int(rids[-1]) + 1, -1)
        places[rids] = np.arange(rids.size)
        keys = keys.take(pa.array(places, mask=places < 0))
    return keys if pa.types.is_integer(keys.type) else _names(place.name, keys)


def _names(table: str, keys: pa.Array) -> Any:
    return pc.binary_join_element_wise(table, keys.cast(pa.string()), "/")


def _batches(
    chain: Chain, table: str, keys: Any, by_id: bool, rows: int
) -> Iterator[tuple[Any, Any, str]]:
    """Yield batches of records: their names or ids, the result row of each, and their table."""
    if not by_id and pa.types.is_integer(keys.type):
        keys = _names(table, keys)
    for chosen, rids in gathered(chain, rows):
        for at in range(0, rids.size, CHUNK):
            ends = keys.take(pa.array(rids[at : at + CHUNK]))
            yield ends.cast(pa.int64()) if by_id else ends, chosen[at : at + CHUNK], table


def gathered(chain: Chain, rows: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield all (row, rid) pairs as two arrays of rows and rids, in chunks of rows."""
    steps = [link.csr() for link in chain.links]
    for first, end in pairwise(_bounds(steps, rows)):
        chosen = rids = np.arange(first, end)
        for (offsets, inner), link in zip(steps, chain.links, strict=True):
            chosen = np.repeat(chosen, offsets[rids + 1] - offsets[rids])
            rids = kernels.gather(offsets, inner, rids).astype(np.int64, copy=False)
            if len(steps) > 1:
                pairs = unique(chosen * link.number + rids)
                chosen, rids = np.divmod(pairs, max(1, link.number))
        yield chosen, rids


def _bounds(steps: Sequence[tuple[Offsets, Rids]], rows: int) -> list[int]:
    """Return the bounds of chunks of rows; each chunk has about ``CHUNK`` rids to follow."""
    reached = _reached(steps, 1)
    total = np.cumsum(reached)
    cuts = np.searchsorted(total, np.arange(CHUNK, int(total[-1]) if rows else 0, CHUNK))
    return list(dict.fromkeys([0, *(int(cut) for cut in cuts if cut), rows]))


def _reached(steps: Sequence[tuple[Offsets, Rids]], each: int) -> Any:
    """Return how many rids each row reaches; rids of intermediate steps count ``each``."""
    reached = np.full(int(steps[-1][1].max(initial=-1)) + 1, 1 - each)
    for offsets, rids in reversed(steps):
        total = np.concatenate([[0], np.cumsum(each + reached[rids])])
        reached = total[offsets[1:]] - total[offsets[:-1]]
    return reached

"""Lists of rids that a GROUP BY collects while it runs (Smoke, section 3.3: *inject*)."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from provhouse.sql import blocks
from provhouse.sql.node_marks import VISIBLE
from provhouse.sql.quoting import RESERVED

from ..index.rid_indexes import Link, ascending
from .condition import of_table
from .row_identity import Base, Derived, Identity, WitnessQuestion

LISTED = f"{RESERVED}_l"


@dataclass
class Injected:
    """A query with an additional column per reference in ``refs``: the rids of the row's group."""

    sql: str
    refs: list[int]


def inject(
    query: exp.Expr, identity: Identity, refs: frozenset[int], where: str = ""
) -> Injected | None:
    """Return the query with lists of rids, or None if it is not one GROUP BY of joined tables.

    ``where`` is a condition on the listed records.
    """
    if not isinstance(query, exp.Select) or not blocks.is_grouped(query) or not refs:
        return None
    first = identity.parts[0]
    if not isinstance(first, WitnessQuestion) or first.expects != "counted":
        return None
    if any(first is not part and _touches(part, refs) for part in identity.parts):
        return None
    inner = first.witness.body
    columns = base_columns(first.witness.identity)
    if not refs <= columns.keys() or inner.args.get("from_") is None:
        return None
    assert isinstance(inner, exp.Select)
    hidden = inner.expressions[VISIBLE.of(inner) :]
    run = query.copy()
    run.set("from_", inner.args["from_"].copy())
    run.set("joins", [join.copy() for join in inner.args.get("joins") or []])
    for ref in sorted(refs):
        rid = exp.cast(hidden[columns[ref]].this.copy(), "INTEGER")
        listed: exp.Expr = exp.Anonymous(this="list", expressions=[rid])
        if where:
            source = rid.this
            if source.name != "rowid":  # the reference is in a derived table
                return None
            condition = of_table(where, source.table)
            listed = exp.Filter(this=listed, expression=exp.Where(this=condition))
        run.append("expressions", exp.alias_(listed, f"{LISTED}{ref}", quoted=True))
    return Injected(run.sql("duckdb"), sorted(refs))


def _touches(part: object, refs: frozenset[int]) -> bool:
    return not isinstance(part, WitnessQuestion) or bool(part.witness.refs & refs)


def base_columns(identity: Identity) -> dict[int, int]:
    """Return the hidden column with each reference's rids, if exactly one column has them."""
    found: dict[int, int] = {}
    twice: set[int] = set()
    for part in identity.parts:
        if isinstance(part, Base):
            below = {part.ref: part.column}
        elif isinstance(part, Derived) and part.identity.count is None:
            inner = base_columns(part.identity)
            below = {ref: part.columns[at] for ref, at in inner.items()}
        elif isinstance(part, WitnessQuestion):
            twice |= part.witness.refs
            continue
        else:
            continue
        twice |= below.keys() & found.keys()
        found |= below
    return {ref: at for ref, at in found.items() if ref not in twice}


def listed_link(column: pa.ChunkedArray, number: int) -> Link:
    """Build a link from a column of rid lists; drop the NULLs of an outer join."""
    lists = column.combine_chunks()
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.chunk(0) if lists.num_chunks else pa.array([], column.type)
    if lists.null_count:  # a filter has left nothing to list
        lists = pc.coalesce(lists, pa.scalar([], lists.type))
    offsets = lists.offsets.to_numpy().astype(np.int64)
    values = lists.values
    if values.null_count:
        valid = np.asarray(values.is_valid())
        offsets = np.concatenate([[0], np.cumsum(valid)])[offsets]
        values = values.drop_null()
    first = int(offsets[0]) if offsets.size else 0
    end = int(offsets[-1]) if offsets.size else 0
    rids = values.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)[first:end]
    offsets -= first
    return Link(*ascending(offsets, rids, number), number)  # a join may have repeated a record

"""Run a query, and capture its lineage in the chosen mode."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.sql.not_covered import REWRITE, NotCovered

from .compiled.cells import Cells
from .compiled.fused import Fused
from .compiled.group_by import run
from .index.decoded import Unfit
from .index.rid_indexes import Chain
from .modes import chosen, compiled, not_compiled
from .planning.apart import Apart
from .planning.inject import LISTED, listed_link
from .planning.plan import Plan
from .planning.want import Mode, Want

if TYPE_CHECKING:
    from .session_state import Session


@dataclass
class CapturedRows:
    """The rows of a query, and the lineage captured with them."""

    mode: Mode
    rows: pa.Table
    hidden: pa.Table
    """The values of each row's hidden columns.

    The table has no columns if compiled loops ran the query.
    """
    apart: Apart | None = None
    """The temporary tables for hidden values whose types cannot be passed through Arrow."""
    listed: dict[int, list[Chain]] = field(default_factory=dict)
    """The chains from rows to rids, for each reference whose rids the query itself listed."""
    row_cells: NDArray[np.int32] | None = None
    """The number of each row's cell in ``cells``, if compiled loops ran the query."""
    cells: Cells | None = None
    """The cell of each record of the table, if compiled loops ran the query."""


def capture(
    con: "Session", plan: Plan, want: Want, mode: Mode | None, refs: frozenset[int]
) -> CapturedRows:
    """Run a query, and return its rows with their lineage; ``refs`` are the declared references.

    Raises UsageError if the query cannot run in the mode ``mode``, and passes on DuckDB's errors.
    """
    fused = compiled(con, plan, want, mode)
    if fused is not None:
        try:
            return _in_loops(con, plan, fused)
        except Unfit as unfit:
            if mode is not None:
                raise not_compiled(str(unfit)) from None
    return _in_duckdb(con, plan, want, chosen(con, plan, refs, want, mode), refs)


def _in_loops(con: "Session", plan: Plan, fused: Fused) -> CapturedRows:
    found = run(con.duckdb, fused, con.columns)
    rows = found.rows.rename_columns(plan.names)
    return CapturedRows(
        "compiled", rows, pa.table({}), row_cells=found.row_cells, cells=found.cells
    )


def _in_duckdb(
    con: "Session", plan: Plan, want: Want, mode: Mode, refs: frozenset[int]
) -> CapturedRows:
    injected = plan.injected(refs, want.where) if mode == "inject" else None
    keep(con, plan)
    text = injected.sql if injected else plan.sql
    try:
        relation = con.duckdb.sql(text)
    except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException):
        raise NotCovered(  # DuckDB has already bound the user's own text
            "Lineage of this query is not supported",
            "DuckDB does not accept it with columns that identify its rows",
            REWRITE,
        ) from None
    if list(map(str, relation.types[: len(plan.kinds)])) != plan.kinds:
        raise NotCovered(
            "Lineage of this query is not supported",
            "Capture would change the types of the result",
            REWRITE,
        )
    _check_keys([str(relation.types[at]) for at in plan.hidden])
    apart = con.apart()
    found, hidden = apart.fetch(relation, text, plan.hidden)
    rows = found.select(range(len(plan.names))).rename_columns(plan.names)
    captured = CapturedRows(mode, rows, hidden, apart)
    for ref in injected.refs if injected else []:
        link = listed_link(found.column(f"{LISTED}{ref}"), con.size(plan.references[ref].table))
        captured.listed[ref] = [Chain([link])]
    return captured


def _check_keys(kinds: list[str]) -> None:
    """Refuse hidden columns with arrays of a fixed size: DuckDB 2.0 garbles such join keys."""
    for kind in kinds:
        if re.search(r"\[\d+\]", kind):
            raise NotCovered(
                f"Lineage by values of type {kind} is not supported",
                "DuckDB does not join arrays of a fixed size reliably",
                "Cast them to lists, for example k::DOUBLE[]",
            )


def keep(con: "Session", plan: Plan) -> None:
    """Store, once for each plan, the blocks that might select different rows if they ran again."""
    for name, query in plan.kept:
        con.duckdb.execute(f'create temp table if not exists "{name}" as {query}').fetchall()

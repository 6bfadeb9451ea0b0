"""Read the modules that one generation declares: their ops, and the tables that they work on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import BORN, INGEST, MODULE, NAME, OP, PART, TABLES, WORKFLOW

from .snapshot import Snapshot

MODULES: Final = "modules"
OP_PART: Final = "op"
PARTS: Final = {"ops": OP_PART, "inputs": "input", "state": "state", "outputs": "output"}
"""The field of a declaration that has the names of each part."""
DECLARED = pa.schema([TABLES[MODULES].field(n) for n in (MODULE, WORKFLOW, PART, NAME, BORN)])
"""The columns of the declarations that a generation shows: a row for each op and table."""


@dataclass(frozen=True)
class Module:
    """A part of a workflow: the ops that it runs, and the tables that it reads and writes."""

    module: str
    workflow: str | None
    ops: Sequence[str]
    inputs: Sequence[str]
    state: Sequence[str]
    outputs: Sequence[str]
    born: int | None
    """The generation that declared it; None if only descriptions of ops name it."""


def modules_of(snapshot: Snapshot) -> pa.Table:
    """Return the newest declaration of each module, with the columns ``DECLARED``.

    A module that was withdrawn, or whose ops and tables were all erased, is left out. A warehouse
    in which no module was ever declared costs nothing here, because it has no such table.
    """
    if MODULES not in snapshot.commit.tables:
        return DECLARED.empty_table()
    rows = snapshot.rows(MODULES)
    newest = rows.group_by(MODULE).aggregate([(INGEST, "max")])
    rows = rows.join(newest, [MODULE, INGEST], [MODULE, f"{INGEST}_max"], join_type="inner")
    rows = rows.filter(rows[PART].is_valid())
    order = [(name, "ascending") for name in (MODULE, PART, NAME)]
    return rows.select(DECLARED.names).sort_by(order).combine_chunks()


def declarations(rows: pa.Table) -> list[Module]:
    """Return the modules that rows with the columns ``DECLARED`` declare, in order of name."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows.to_pylist():
        found.setdefault(row[MODULE], []).append(row)
    return [
        Module(
            module=module,
            workflow=said[0][WORKFLOW],
            **{
                field: [row[NAME] for row in said if row[PART] == part]
                for field, part in PARTS.items()
            },
            born=int(said[0][BORN]),
        )
        for module, said in found.items()
    ]


def contradiction(declared: pa.Table, described: pa.Table) -> tuple[str, str, str] | None:
    """Return an op that is part of two modules, and these modules; None if there is none.

    ``declared`` has the columns module and name (the op), ``described`` has op and module.
    """
    known: dict[str, str] = {}
    described = described.filter(pc.is_valid(described[MODULE]))
    for rows, op in ((declared, NAME), (described, OP)):
        for name, module in zip(rows[op].to_pylist(), rows[MODULE].to_pylist(), strict=True):
            if known.setdefault(name, module) != module:
                return name, known[name], module
    return None

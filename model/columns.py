"""The names of columns, each defined once, and the schemas of the warehouse's tables.

Numbers of items, sets and partitions are 64-bit and are never reused within a warehouse.
``docs/decisions/0004-tables.md`` explains the purpose of each table.
"""

from typing import Final

import pyarrow as pa

SRC: Final = "src"
DST: Final = "dst"
OP: Final = "op"
SRC_TABLE: Final = "src_table"
DST_TABLE: Final = "dst_table"
SRC_ID: Final = "src_id"
DST_ID: Final = "dst_id"
ATTRIBUTES: Final = "attributes"
TRIPLE: Final = (SRC, DST, OP, ATTRIBUTES)

ITEM: Final = "item"
TABLE: Final = "table"
DEPTH: Final = "depth"
NAME: Final = "name"

INGEST: Final = "ingest"
BORN: Final = "born"
PARTITION: Final = "partition"
SET: Final = "set"
COMPONENT: Final = "component"
FIRST: Final = "first"
ITEMS: Final = "items"
TRIPLES: Final = "triples"
NODE: Final = "node"
DERIVES_FROM: Final = "derives_from"
OPS: Final = "ops"
TABLES_OF: Final = "tables"
INTO: Final = "into"
ORIGIN: Final = "origin"
RUN: Final = "run"
FILE: Final = "file"
ROW: Final = "row"
ROWS: Final = "rows"
HOLDS: Final = "holds"
DIED: Final = "died"
DERIVED: Final = "derived"

DERIVATION: Final = "derivation"
OP_KIND: Final = "op_kind"
WAY: Final = "way"
KIND: Final = "kind"
VALUE: Final = "value"
TIMES: Final = "times"
ROLE: Final = "role"
MODULE: Final = "module"
INVOCATION: Final = "invocation"
EXECUTION: Final = "execution"
FUNCTION: Final = "function"
SQL: Final = "sql"
JOB: Final = "job"
PLACE: Final = "place"
EXACTNESS: Final = "exactness"
WORKFLOW: Final = "workflow"
PART: Final = "part"
DESCRIBING: Final = (DERIVATION, OP_KIND, VALUE, TIMES, ROLE, MODULE, INVOCATION, EXECUTION)
"""The columns of a trace that describe derivations."""
SHARED: Final = "shared"
"""The column of a trace with the labels of derivations that many dst share."""

_NUMBER = pa.int64()
_COUNTER = pa.int32()

DESCRIPTION: Final = {
    WAY: _COUNTER,
    KIND: pa.int8(),
    VALUE: pa.float64(),
    TIMES: _NUMBER,
    ROLE: pa.int8(),
    MODULE: pa.string(),
    INVOCATION: pa.string(),
    EXECUTION: pa.string(),
}
"""The optional columns of triples. A partition omits a column that has no value in any row.

``docs/decisions/0017-derivations.md`` explains them.
"""

OPERATION: Final = (OP, KIND, FUNCTION, MODULE, SQL, JOB, PLACE, EXACTNESS)
"""The columns of an op's description. All are strings, and only ``op`` is never null."""

TABLES: Final[dict[str, pa.Schema]] = {
    "triples": pa.schema(
        [
            (SRC, _NUMBER),
            (DST, _NUMBER),
            (OP, pa.string()),
            (ATTRIBUTES, pa.string()),
            (INGEST, _COUNTER),
            (BORN, _COUNTER),
            (ORIGIN, _COUNTER),
            (PARTITION, _NUMBER),
            *DESCRIPTION.items(),
        ]
    ),
    "origins": pa.schema(
        [(ORIGIN, _COUNTER), (RUN, pa.string()), (FILE, pa.string()), (INGEST, _COUNTER)]
    ),
    "assertions": pa.schema(
        [
            (PARTITION, _NUMBER),
            (ROW, _NUMBER),
            (ROWS, _NUMBER),
            (ORIGIN, _COUNTER),
            (HOLDS, pa.bool_()),
            (INGEST, _COUNTER),
        ]
    ),
    "deaths": pa.schema(
        [
            (PARTITION, _NUMBER),
            (ROW, _NUMBER),
            (ROWS, _NUMBER),
            (DIED, _COUNTER),
            (INGEST, _COUNTER),
        ]
    ),
    "sets": pa.schema(
        [
            (SET, _NUMBER),
            (COMPONENT, _NUMBER),
            (FIRST, _NUMBER),
            (ITEMS, _NUMBER),
            (NODE, pa.bool_()),
            (TABLES_OF, pa.list_(pa.string())),
            (INGEST, _COUNTER),
        ]
    ),
    "placements": pa.schema(
        [(SET, _NUMBER), (PARTITION, _NUMBER), (TRIPLES, _NUMBER), (INGEST, _COUNTER)]
    ),
    "set_dependencies": pa.schema(
        [
            (SET, _NUMBER),
            (DERIVES_FROM, _NUMBER),
            (TRIPLES, _NUMBER),
            (OPS, pa.list_(pa.string())),
            (INGEST, _COUNTER),
        ]
    ),
    "merges": pa.schema([(COMPONENT, _NUMBER), (INTO, _NUMBER), (INGEST, _COUNTER)]),
    "workflow": pa.schema(
        [
            (SRC_TABLE, pa.string()),
            (DST_TABLE, pa.string()),
            (TRIPLES, _NUMBER),
            (OPS, pa.list_(pa.string())),
            (INGEST, _COUNTER),
        ]
    ),
    "tables": pa.schema([(TABLE, pa.string()), (ITEMS, _NUMBER), (INGEST, _COUNTER)]),
    "groups": pa.schema([(ITEM, _NUMBER), (INGEST, _COUNTER)]),
    "operations": pa.schema(
        [*((name, pa.string()) for name in OPERATION), (BORN, _COUNTER), (INGEST, _COUNTER)]
    ),
    "modules": pa.schema(
        [
            *((name, pa.string()) for name in (MODULE, WORKFLOW, PART, NAME)),
            (BORN, _COUNTER),
            (INGEST, _COUNTER),
        ]
    ),
    "rejects": pa.schema(
        [
            ("file", pa.string()),
            ("row", _NUMBER),
            ("reason", pa.string()),
            ("content", pa.string()),
            (INGEST, _COUNTER),
        ]
    ),
    "ingests": pa.schema(
        [
            (INGEST, _COUNTER),
            (BORN, _COUNTER),
            ("run", pa.string()),
            ("time", pa.string()),
            ("files", pa.list_(pa.string())),
            ("first_item", _NUMBER),
            ("items", _NUMBER),
            ("first_partition", _NUMBER),
            ("partitions", _NUMBER),
            ("triples", _NUMBER),
            ("duplicates", _NUMBER),
            ("rejected", _NUMBER),
            ("two_tables", _NUMBER),
            (DERIVED, _NUMBER),
        ]
    ),
}
"""The schema of each Delta table of a base, by the table's name.

The column ``partition`` of ``triples`` is its Delta partition column.
"""

_TEXT = pa.string()
WORKFLOW_TABLES: Final[dict[str, pa.Schema]] = {
    "revisions": pa.schema(
        [
            ("workflow", _TEXT),
            ("revision", _NUMBER),
            ("sink", _TEXT),
            ("source", _TEXT),
            ("text", _TEXT),
            ("ddl", _TEXT),
            ("form", _TEXT),
            ("key", _TEXT),
            ("changes", pa.list_(_TEXT)),
            ("time", _TEXT),
        ]
    ),
    "executions": pa.schema(
        [
            ("execution", _TEXT),
            ("workflow", _TEXT),
            ("revision", _NUMBER),
            ("sink", _TEXT),
            ("started", _TEXT),
            ("ended", _TEXT),
            ("state", _TEXT),
            ("inputs", _TEXT),
            ("broken", _TEXT),
            ("result", _TEXT),
            ("reused_from", _TEXT),
            ("run", _TEXT),
        ]
    ),
    "results": pa.schema(
        [
            ("result", _TEXT),
            ("state", _TEXT),
            ("columns", pa.list_(_TEXT)),
            ("types", pa.list_(_TEXT)),
            ("records", _NUMBER),
            ("bytes", _NUMBER),
            ("file", _TEXT),
            ("key", pa.list_(_TEXT)),
            ("bits", _COUNTER),
            ("distinct", pa.bool_()),
            ("time", _TEXT),
        ]
    ),
    "proofs": pa.schema(
        [
            ("key_a", _TEXT),
            ("key_b", _TEXT),
            ("verdict", _TEXT),
            ("by", _TEXT),
            ("reason", _TEXT),
            ("steps", _NUMBER),
            ("verifier", _TEXT),
            ("assumed", pa.list_(_TEXT)),
            ("counterexample", _TEXT),
            ("time", _TEXT),
        ]
    ),
}
"""The schemas of the registered tables about workflows, by the table's name."""

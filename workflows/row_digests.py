"""Digests of rows: equal for two sets of rows only if columns, types and rows are the same."""

import hashlib
import json
from collections.abc import Mapping, Sequence

import duckdb
import pyarrow as pa

from provhouse.equivalence.empty_database import whole_name

DIGEST_BYTES = 32
NESTED = ("STRUCT", "MAP", "UNION")


def rows_digest(
    con: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, str], *, ordered: bool
) -> str:
    """Return the SHA-256 of names, types and rows, given SQL for a table and its columns' types.

    Rows without an order are sorted by their hashes.
    """
    whole = hashlib.sha256(json.dumps([[*types], [*types.values()], ordered]).encode())
    order = "" if ordered else "order by hash"
    query = f"select unhex(sha256({row_text([*types], types)})) as hash from {table} {order}"
    for batch in con.sql(query).to_arrow_reader():
        hashes = batch.column(0).cast(pa.binary(DIGEST_BYTES))
        start = hashes.offset * DIGEST_BYTES
        whole.update(hashes.buffers()[1][start : start + len(hashes) * DIGEST_BYTES])
    return whole.hexdigest()


def row_text(columns: Sequence[str], types: Mapping[str, str]) -> str:
    """Return SQL for a string that two rows share only if these columns are identical."""
    return f"to_json([{', '.join(_cell(column, types[column]) for column in columns)}])::varchar"


def _cell(column: str, type_: str) -> str:
    quoted = whole_name((column,))
    nested = type_.startswith(NESTED) or type_.endswith("]")
    return f"to_json({quoted})::varchar" if nested else f"{quoted}::varchar"

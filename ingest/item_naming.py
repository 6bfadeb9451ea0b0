"""Determine how an ingest names items, and refuse names that occur in two tables."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import Bools
from provhouse.model.compiled import compiled
from provhouse.model.errors import BadInput, UsageError
from provhouse.model.naming import Naming
from provhouse.store.warehouse.commits import Commit

EXAMPLES = 3
"""The number of example names in the error about names in two tables."""
InTwoTables = tuple[str, str, str]
"""A name, and two of its tables."""


def naming_of(before: Commit | None, said: Naming | None, *, new_base: bool) -> Naming:
    """Return the naming of an ingest: the user's choice, or else the stored naming.

    Raises UsageError if the choice would change the names of stored items.
    """
    stored = before.naming if before else "unique"
    if said is None or said == stored:
        return stored
    if before and before.visible and not new_base and "table" in (said, stored):
        now = "table" if stored == "table" else "global"
        raise UsageError(
            f"This warehouse does not accept --names {said}",
            f"Its first ingest named the items with --names {now}",
            "Leave out --names, or start from an empty generation with --replace",
        )
    return said


def refuse_two_tables(naming: Naming, count: int, examples: Sequence[InTwoTables]) -> None:
    """Raise BadInput for names that occur in two tables, unless the user chose to merge them."""
    if not count or naming == "global":
        return
    some = "; ".join(f"{name!r} in {one} and {other}" for name, one, other in examples)
    raise BadInput(
        f"{count:,} {'name occurs' if count == 1 else 'names occur'} in two tables",
        f"For example {some}",
        "If these are different items, use --names table: items are then named TABLE/NAME. If the "
        "warehouse already stores items, add --replace. If each name is one item, use "
        "--names global. Nothing was ingested",
    )


def with_tables(names: pa.Array, tables: pa.Array) -> pa.Array:
    """Return ``TABLE/NAME`` for each name.

    A name that has no table, or already begins with its table and a slash, is unchanged.
    """
    if not len(names):
        return names
    unchanged = pa.array(_begins(*_texts(names), *_texts(tables)))
    return pc.if_else(unchanged, names, pc.binary_join_element_wise(tables, names, "/"))


def _texts(column: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Return the bytes of all strings of a column, and the offset at which each string begins.

    The last offset is the end of the last string.
    """
    _, offsets, data = column.buffers()
    at = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8), at


@compiled()
def _begins(
    names: npt.NDArray[np.uint8],
    name_at: npt.NDArray[np.int32],
    tables: npt.NDArray[np.uint8],
    table_at: npt.NDArray[np.int32],
) -> Bools:
    """Return whether each name begins with its table and a slash, or has no table."""
    out = np.empty(len(name_at) - 1, np.bool_)
    for row in range(len(out)):
        name, table = name_at[row], table_at[row]
        length = table_at[row + 1] - table
        same = length == 0 or (name_at[row + 1] - name > length and names[name + length] == 47)
        for i in range(length):
            same = same and names[name + i] == tables[table + i]
            if not same:
                break
        out[row] = same
    return out

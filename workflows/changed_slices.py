"""The slices of a table that differ between two pinned states.

Files that belong to both states are read only to find the unchanged rows of these slices.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.known_functions import EXACT
from provhouse.sql.quoting import quoted, text_of

from .pinned_data import check_columns, dataset_of
from .pinned_inputs import InputPin, TablePath, file_digest


@dataclass(frozen=True)
class ChangedSlices:
    """Slices of a table: the key values that identify them, and their rows in the later state."""

    values: pa.Table
    rows: pa.Table


def changed_slices(
    ddl: str,
    table: TablePath,
    read: Sequence[str],
    key: Sequence[str],
    pins: tuple[InputPin, InputPin],
) -> ChangedSlices:
    """Return the slices, by the columns ``key``, in which a row was added, removed or changed.

    A row counts as changed if its value in one of the columns ``read`` has changed. Raises BadInput
    if a state cannot be read.
    """
    before, after = (dataset_of(pin) for pin in pins)
    apart = (
        _without(before, pins[0], after, pins[1]),
        _without(after, pins[1], before, pins[0]),
    )
    with empty_database(ddl, small=False) as database:
        con, types = database.con, dict(database.columns[table])
        for data in (before, after):
            check_columns(table, types, data)
        own = {name: f"cast({quoted(name)} as {types[name]}) as {quoted(name)}" for name in read}
        signed = []
        for sign, data in zip((-1, 1), apart, strict=True):
            name = f"__provhouse_side{sign + 1}"
            con.register(name, data)
            signed.append(f"select {', '.join(own.values())}, {sign} as __sign from {name}")
        names, columns = (", ".join(map(quoted, listed)) for listed in (read, key))
        values = con.sql(
            f"select distinct {columns} from (select {names} from "
            f"(({signed[0]}) union all ({signed[1]})) group by {names} having sum(__sign) <> 0)"
        ).to_arrow_table()
        con.register("__provhouse_values", values)
        con.register("__provhouse_after", after)
        cast = {name: f"cast(a.{quoted(name)} as {types[name]})" for name in key}
        near = " and ".join(_near(con, {name: types[name] for name in key})) or "true"
        rows = con.sql(
            f"from (from __provhouse_after where {near}) a "
            f"semi join __provhouse_values v on {same_values(cast, 'v')}"
        )
        return ChangedSlices(values, rows.to_arrow_table())


def _near(con: duckdb.DuckDBPyConnection, key: Mapping[str, str]) -> Iterator[str]:
    """Yield SQL conditions that each key column lies within the range of its changed values.

    With these, the Parquet reader can skip row groups. There is no condition for a column with
    NULLs. ``key`` maps the columns' names to types.
    """
    for name, type_ in key.items():
        column = quoted(name)
        found = con.execute(
            f"select min({column})::varchar, max({column})::varchar from __provhouse_values "
            f"having count({column}) = count(*) and count(*) > 0"
        )
        for row in found.fetchall() if type_ in EXACT else ():
            low, high = (f"cast({text_of(each)} as {type_})" for each in row)
            yield f"cast({column} as {type_}) between {low} and {high}"


def same_values(columns: Mapping[str, str], table: str) -> str:
    """Return an SQL condition that expressions equal a table's columns; NULL equals NULL."""
    return " and ".join(
        f"{made} is not distinct from {table}.{quoted(name)}" for name, made in columns.items()
    )


def _without(
    data: ds.FileSystemDataset, pin: InputPin, other: ds.FileSystemDataset, other_pin: InputPin
) -> ds.FileSystemDataset:
    """Return the files of one state of a table that another state lacks."""
    known = {identity for identity, _ in _files(other, other_pin)}
    left = [file for identity, file in _files(data, pin) if identity not in known]
    return ds.FileSystemDataset(left, data.schema, data.format, data.filesystem)


def _files(data: ds.FileSystemDataset, pin: InputPin) -> Iterator[tuple[str, ds.Fragment]]:
    """Yield the files of a table, each with a string that identifies its content.

    Delta never overwrites a file of a table, so its path identifies it. For other files, the digest
    does.
    """
    for file in data.get_fragments():
        known = f"{pin.place}/{file.path}" if pin.kind == "delta" else file_digest(Path(file.path))
        yield known, file

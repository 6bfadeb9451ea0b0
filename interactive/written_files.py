"""Read a file that COPY has written, to match its rows with those of the query.

Parquet stores values with their types. CSV and JSON store texts, so their values are read with the
types of the query. A later query reads a CSV file with DuckDB's detection of its format. So this is
tried at once, and refused if it gives other rows, as where the detection takes the names of columns
for a record.
"""

from collections.abc import Sequence

import duckdb

from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted, text_of

from .statement_text import ALONE, Storing

FILE = "__provhouse_file"
"""The temporary table with the rows of the file."""
_TEXTS, _DETECTED = "__provhouse_texts", "__provhouse_detected"
_NULL = '"NULL"'
"""The type of a column that only contains untyped NULLs."""


def read_file(
    con: duckdb.DuckDBPyConnection, statement: Storing, names: Sequence[str], kinds: Sequence[str]
) -> list[str]:
    """Store the rows of a file in ``FILE``, in the order of the file; return its columns.

    ``names`` and ``kinds`` are the columns of the query. Raises NotCovered if the rows cannot be
    read, or if a later query would read other rows.
    """
    (path,) = map(text_of, statement.target)
    typed = ["INTEGER" if kind == _NULL else kind for kind in kinds]
    try:
        if statement.format == "csv":
            _read_csv(con, path, statement.delimiter, typed)
        elif statement.format == "json":
            listed = _columns(names, typed)
            reader = f"read_json({path}, format = 'newline_delimited', columns = {listed})"
            con.execute(f"create temp table {FILE} as from {reader}")
        else:
            reader = f"read_parquet({path}, hive_partitioning = false)"
            con.execute(f"create temp table {FILE} as from {reader}")
    except duckdb.Error as error:
        reason = str(error).splitlines()[0]
        raise NotCovered("The rows of the file cannot be read again", reason, ALONE) from error
    return list(con.sql(f"from temp.{FILE}").columns)


def forget_file(con: duckdb.DuckDBPyConnection) -> None:
    """Drop the tables of ``read_file``."""
    for table in (FILE, _TEXTS, _DETECTED):
        con.execute(f"drop table if exists temp.{table}")


def _columns(names: Sequence[str], kinds: Sequence[str]) -> str:
    pairs = (f"{text_of(name)}: {text_of(kind)}" for name, kind in zip(names, kinds, strict=True))
    return f"{{{', '.join(pairs)}}}"


def _read_csv(
    con: duckdb.DuckDBPyConnection, path: str, delimiter: str, kinds: Sequence[str]
) -> None:
    names = [f"c{at}" for at in range(len(kinds))]
    texts = _columns(names, ["VARCHAR"] * len(kinds))
    options = (
        f"auto_detect = false, header = true, delim = {text_of(delimiter)}, quote = '\"', "
        f"escape = '\"', nullstr = '', allow_quoted_nulls = false, columns = {texts}"
    )
    con.execute(f"create temp table {_TEXTS} as from read_csv({path}, {options})")
    con.execute(f"create temp table {_DETECTED} as from read_csv({path})")
    _check_detected(con, names)
    values = (
        f"try_cast({name} as {kind}) as {name}" for name, kind in zip(names, kinds, strict=True)
    )
    con.execute(f"create temp table {FILE} as select {', '.join(values)} from temp.{_TEXTS}")


def _check_detected(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
    """Raise NotCovered unless the detected format gives the same records in the same order.

    Detection may change types, and reads empty strings as NULL.
    """
    detected = con.sql(f"from temp.{_DETECTED}")
    rows = con.execute(f"select count(*) from temp.{_TEXTS}").fetchall()
    equal = ["d.rowid = t.rowid"]
    for name, column, kind in zip(names, detected.columns, detected.types, strict=False):
        text, value = f"nullif(t.{name}, '')", f"nullif(d.{quoted(column)}::varchar, '')"
        same = f"d.{quoted(column)} = try_cast({text} as {kind})"
        equal.append(f"({text} is null) = ({value} is null) and coalesce({same}, true)")
    joined = f"from temp.{_TEXTS} t join temp.{_DETECTED} d on {' and '.join(equal)}"
    every = con.execute(f"select count(*) from temp.{_DETECTED}").fetchall()
    if (
        len(detected.columns) != len(names)
        or every != rows
        or con.execute(f"select count(*) {joined}").fetchall() != rows
    ):
        raise NotCovered(
            "Lineage of the rows of this CSV file is not supported",
            "DuckDB detects another format when it reads the file without options",
            "Write Parquet, or other values or names of columns",
        )

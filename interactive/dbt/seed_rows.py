"""The lineage of a seed's rows: the lines of its CSV file.

DuckDB reads the file with the same options as in dbt-duckdb, and the result must equal the rows of
the table. The source of a row is named after the line on which its record begins in the file. Line
1 is the header.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted, text_of
from provhouse.workflows.dbt.project import ProjectNode

from .built_row_names import RowNames
from .model_op import ModelOp
from .opened_database import NOW, OpenedDatabase
from .rows_compared import same_rows
from .trace_file import TraceFile

_TEXTS = "seed_texts"


@dataclass(frozen=True)
class SeedFile:
    """The records of a seed's file in the order of the table's rows."""

    path: Path
    columns: list[str]
    lines: list[int]
    """The line on which each record begins."""
    records: list[list[str]]


class SeedRows:
    """The lineage of seeds, written to a trace."""

    def __init__(self, opened: OpenedDatabase, names: RowNames, trace: TraceFile) -> None:
        self._opened, self._names, self._trace = opened, names, trace

    def seed(self, node: ProjectNode) -> None:
        """Write the lineage of a seed's rows. Raises NotCovered if its file has different rows."""
        found = seed_file(self._opened, node)
        table, run = file_table(node), self._names.run
        lines = pa.array([f"{table}/{line}@{run}" for line in found.lines], pa.string())
        place = self._opened.stored(node)
        key = self._names.key(node, place)
        rows = self._names.named(node, place, key)
        self._names.keep(node, key, rows, mixed=False)
        op = ModelOp(f"{node.name}: load", "all", "", "", node.file, "exact")
        self._trace.write(op, node.name, rows, table, lines, "input")


def file_table(node: ProjectNode) -> str:
    """Return the table part of the names of lines in a seed's file."""
    return Path(node.file).name


def seed_file(opened: OpenedDatabase, node: ProjectNode) -> SeedFile:
    """Read the file of a seed. Raises NotCovered if its rows differ from the seed's table."""
    path = Path(node.root, node.file)
    delimiter = str(node.parts.rows.get("delimiter") or ",")
    built = opened.stored(node)
    columns = opened.columns(built)
    try:
        lines, records = _records(path, delimiter, len(columns))
        texts = ", ".join(f"{quoted(name)} varchar" for name in columns)
        opened.duckdb.execute(f"create or replace temp table {_TEXTS}({texts})")
        opened.duckdb.execute(f"create or replace table {NOW} as from {built.sql()} limit 0")
        for table in (f"temp.{_TEXTS}", NOW):
            options = f"format csv, header true, delimiter {text_of(delimiter)}"
            opened.duckdb.execute(f"copy {table} from {text_of(str(path))} ({options})")
        read = opened.duckdb.execute(f"from temp.{_TEXTS} order by rowid").fetchall()
        at = same_rows(opened, built, [NOW])
    except (OSError, UnicodeError, csv.Error, duckdb.Error) as error:
        raise _other_rows(node) from error
    if at is None or [[text or "" for text in row] for row in read] != records:
        raise _other_rows(node)
    order = at.tolist()
    return SeedFile(
        path, list(columns), [lines[each] for each in order], [records[each] for each in order]
    )


def _records(path: Path, delimiter: str, width: int) -> tuple[list[int], list[list[str]]]:
    """Return the first line and the strings of each record. As in DuckDB, skip empty lines."""
    lines, records, before = [], [], 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        for record in reader:
            if record or width == 1:
                lines.append(before + 1)
                records.append(record or [""])
            before = reader.line_num
    return lines[1:], records[1:]


def _other_rows(node: ProjectNode) -> NotCovered:
    return NotCovered(
        "Its rows have no lineage", f"Its table has other rows than its file {node.file}"
    )

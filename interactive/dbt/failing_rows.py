"""The rows that a failed dbt test reports, and the source records behind the first such row.

The test's own compiled SQL finds the rows, and the triples of the runs lead from them to the
sources. Neither Spark nor a warehouse is needed.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.query.blamed import Blamed
from provhouse.query.source_records import Record, TableRecords
from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.sql.quoting import quoted
from provhouse.workflows.dbt import artifacts
from provhouse.workflows.dbt.passed_tests import with_status
from provhouse.workflows.dbt.project import ADAPTER, DbtProject, ProjectNode, project

from .built_row_names import RowNames
from .child_process import DbtRun
from .kept_tables import KeptTables
from .opened_database import OpenedDatabase
from .seed_rows import file_table, seed_file

FAILED = ("fail", "error", "warn")
RENAMED = ("unique_field", "value_field", "from_field")
"""The names of the tested column in the results of dbt's built-in tests."""
MOST_ROWS = 20
"""The maximum number of wrong rows that are shown."""
MOST_RECORDS = 1000
"""The maximum number of records that are shown per table."""
LINEAGE = """
    with recursive found(name, "table") as (
        select src, src_table from '{files}' where dst = ?
        union
        select t.src, t.src_table from '{files}' t join found on t.dst = found.name)
    select "table", list(name order by name) from found
    where not exists (select 1 from '{files}' t where t.dst = found.name)
    group by all order by all"""


def is_on_duckdb(results: Path) -> bool:
    """Return whether dbt's results file ``results`` belongs to a project on DuckDB."""
    return bool(artifacts.manifest(results.parent)["metadata"].get("adapter_type") == ADAPTER)


def failing_rows(results: Path, table: str | None, folder: Path) -> Blamed:
    """Return the rows that the first failed test reports, or the first failed test of ``table``.

    ``folder`` contains the lineage of runs. Raises NotFound if no such test has failed, and
    UsageError if no run of ``provhouse dbt`` has built the project.
    """
    found = project(results.parent)
    test, node = _failed(found, table, results)
    with KeptTables(folder) as kept:
        opened = OpenedDatabase(_run(results, kept, folder), found)
        try:
            names = RowNames(opened, found, kept)
            names.run = kept.next_run() - 1
            rows = _wrong(opened, names, node, test)
            if names.unknown:
                raise UsageError(
                    f"The rows of {node.name} have changed since the last run with lineage",
                    "Another program has written the table",
                    "Build it by `provhouse dbt build`",
                )
            if not rows:
                return Blamed(node.name, (), False)
            behind = _sources(opened, names, folder, rows[0].item)
            return Blamed(node.name, tuple(rows[:MOST_ROWS]), len(rows) > MOST_ROWS, tuple(behind))
        finally:
            opened.close()


def _failed(found: DbtProject, table: str | None, results: Path) -> tuple[Any, ProjectNode]:
    """Return the first failed test of ``table``, or of any table, and the node that it tests."""
    failed = with_status(found, *FAILED)
    tested = [
        (test, found.nodes[node])
        for test in found.tests
        if test["unique_id"] in failed and test.get("compiled_code")
        for node in [test.get("attached_node") or next(iter(test["depends_on"]["nodes"]), "")]
        if node in found.nodes
    ]
    for test, node in tested:
        if table in (None, node.name, node.identifier):
            return test, node
    raise NotFound(
        f"No test of {table or 'a model'} has failed in {results}",
        f"Failed tests are of {', '.join({node.name for _, node in tested}) or 'no table'}",
        "Run `provhouse dbt test`, or name one of these tables",
    )


def _run(results: Path, kept: KeptTables, folder: Path) -> DbtRun:
    path = kept.database()
    if path is None or not path.is_file():
        raise UsageError(
            "No run with lineage has built this project",
            f"{folder} names no database" if path is None else f"{path} is missing",
            "Build it by `provhouse dbt build`",
        )
    return DbtRun(0, results.parent, path.stem, path, None, {}, (), (), "")


def _wrong(opened: OpenedDatabase, names: RowNames, node: ProjectNode, test: Any) -> list[Record]:
    """Return the rows of a node whose values occur in a row of the test's result."""
    place = opened.place(node)
    if not opened.is_table(place):
        place = opened.stand_in(node, f"from {node.relation}")
    try:
        opened.duckdb.execute(f"create temp table failing as ({test['compiled_code']}\n)")
    except duckdb.Error as error:
        raise BadInput(
            f"Cannot run the test {test['name']} again",
            "DuckDB cannot run its compiled SQL on the current database",
            "Run `provhouse dbt test` again",
        ) from error
    found = {name.lower(): name for name in opened.duckdb.sql("from failing limit 0").columns}
    if column := test.get("column_name"):
        found |= {str(column).lower(): found[name] for name in RENAMED if name in found}
    same = [
        f"t.{quoted(name)} is not distinct from f.{quoted(found[name.lower()])}"
        for name in opened.columns(place)
        if name.lower() in found
    ]
    if not same:
        raise BadInput(
            f"The result of the test {test['name']} has no column of {node.name}",
            f"Its columns are {', '.join(found.values())}",
            "Let the test select columns of the table that it tests",
        )
    where = f"exists (select 1 from failing f where {' and '.join(same)})"
    return list(_records(opened, names, place, where, MOST_ROWS + 1))


def _records(
    opened: OpenedDatabase, names: RowNames, place: TablePlace, where: str, most: int
) -> Iterator[Record]:
    """Yield the rows that satisfy ``where``, with their names, in the order of row ids."""
    text = f"select rowid as provhouse_rid, * from {place.sql()} t where {where} order by rowid"
    rows = opened.arrow(f"{text} limit {most}")
    named = names.by_rid(place).take(rows["provhouse_rid"].combine_chunks())
    for name, values in zip(
        named.to_pylist(), rows.drop(["provhouse_rid"]).to_pylist(), strict=True
    ):
        yield Record(name, opened.path, values)


def _sources(
    opened: OpenedDatabase, names: RowNames, folder: Path, item: str
) -> Iterator[TableRecords]:
    """Yield the source records of an item, table by table."""
    text = LINEAGE.format(files=f"{folder}/run-*.parquet")
    by_name = {node.name: node for node in opened.nodes}
    seeds = {file_table(node): node for node in opened.nodes if node.kind == "seed"}
    for table, items in opened.duckdb.execute(text, [item]).fetchall():
        node = by_name.get(table)
        if node is not None:
            records = list(_named(opened, names, node, items))
        else:
            records = list(_lines(opened, seeds[table], items)) if table in seeds else []
        found = {record.item for record in records}
        missing = tuple(each for each in items if each not in found)
        yield TableRecords(table, tuple(records), missing, ())


def _lines(opened: OpenedDatabase, seed: ProjectNode, items: Sequence[str]) -> Iterator[Record]:
    """Yield the records of a seed's file for ``items``, if the file still matches the table."""
    try:
        found = seed_file(opened, seed)
    except NotCovered:
        return
    on = dict(zip(found.lines, found.records, strict=True))
    for item in items:
        line = int(item.rpartition("/")[2].partition("@")[0])
        if line in on:
            yield Record(item, found.path, dict(zip(found.columns, on[line], strict=True)))


def _named(
    opened: OpenedDatabase, names: RowNames, node: ProjectNode, items: Sequence[str]
) -> Iterator[Record]:
    """Yield the rows of a node that ``items`` name."""
    place = opened.place(node)
    if not opened.is_table(place):
        place = opened.stand_in(node, f"from {node.relation}")
    every = names.by_rid(place)
    rids = pc.indices_nonzero(pc.is_in(every, value_set=pa.array(items, pa.string())))
    chosen = rids.slice(0, MOST_RECORDS).to_pylist()
    if chosen:
        where = f"rowid in ({', '.join(map(str, chosen))})"
        yield from _records(opened, names, place, where, MOST_RECORDS)

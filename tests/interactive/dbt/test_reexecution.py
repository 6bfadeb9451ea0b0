"""The sources behind a row suffice to rebuild it; without them, the row is missing or different.

The project has 31 models and random rows, with NULLs and duplicates. dbt builds it once. For each
tried row, DuckDB builds it again, once on the row's sources and once on all others.
"""

from collections import defaultdict
from collections.abc import Callable
from random import Random

import duckdb
import pytest

from helpers.dbt_runs import DbtProject, install_dbt, refused
from helpers.edit_history import filled
from helpers.edit_project import PROJECT, RAW

pytestmark = pytest.mark.long
ROWS = 60
"""The number of rows to try."""
Kept = Callable[[str, int], bool]
"""Whether to keep a source row, given by its position."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> DbtProject:
    """The project, built by dbt: models of the folder staging are views, all others are tables."""
    install_dbt()
    tables = sorted({each for model in PROJECT for each in model.reads if each.startswith("raw_")})
    listed = ", ".join(f"{{name: {table}}}" for table in tables)
    files = {model.path: model.text() for model in PROJECT}
    sources = f"sources: [{{name: raw, schema: main, tables: [{listed}]}}]\n"
    project = DbtProject.write(
        tmp_path_factory.mktemp("dbt") / "p", {**files, "models/sources.yml": sources}
    )
    with filled(RAW, 3) as con:
        con.execute(f"attach '{project.root / 'shop.duckdb'}' as shop")
        for table in tables:
            con.execute(f"create table shop.{table} as from {table}")
    found = project.dbt("run")
    assert refused(found) == {}
    return project


def _roots(project: DbtProject) -> dict[str, frozenset[str]]:
    """Return the source rows of each item."""
    parents = defaultdict(set)
    for src, dst, _ in project.triples():
        parents[dst].add(src)
    found: dict[str, frozenset[str]] = {}

    def of(item: str) -> frozenset[str]:
        if item not in found:
            up = parents.get(item)
            found[item] = frozenset().union(*map(of, up)) if up else frozenset([item])
        return found[item]

    for item in list(parents):
        of(item)
    return found


def _rebuilt(project: DbtProject, model: str, kept: Kept) -> list[tuple[object, ...]]:
    """Return the rows of a model that is built from the given rows of the sources."""
    with duckdb.connect() as con:
        con.execute(f"attach '{project.root / 'shop.duckdb'}' as shop (read_only)")
        for (table,) in con.execute(
            "select table_name from duckdb_tables() where table_name like 'raw_%'"
        ).fetchall():
            number = len(con.execute(f"from shop.{table}").fetchall())
            rids = [at for at in range(number) if kept(table, at)]
            con.execute(
                f"create table {table} as from shop.{table} where rowid in (select unnest(?))",
                [rids],
            )
        for each in PROJECT:
            con.execute(f"create view {each.name} as {each.sql()}")
        return con.execute(f"from {model}").fetchall()


def test_sources_of_a_row_build_it_again(built: DbtProject) -> None:
    roots = _roots(built)
    tables = {name for (name,) in built.sql("select table_name from duckdb_tables()")}
    rows = sorted(item for item in roots if item.split("/")[0] in tables)
    unchanged = 0
    for item in Random(5).sample(rows, ROWS):
        model, place = item.removesuffix("@1").split("/")
        (row,) = built.sql(f"from {model} order by rowid limit 1 offset {place}")
        behind = roots[item]

        def listed(table: str, at: int, behind: frozenset[str] = behind) -> bool:
            return f"raw.{table}/{at}@1" in behind

        assert row in _rebuilt(built, model, listed), item
        others = _rebuilt(built, model, lambda *each: not listed(*each))
        unchanged += others.count(row) >= built.sql(f"from {model}").count(row)
    assert unchanged <= ROWS // 20

"""Measure the cost of record lineage for building a generated dbt project, against plain dbt.

`make bench-dbt-lineage` runs it. Times are processor seconds, since dbt and its lineage run one
after the other. Results go to `results/dbt_lineage.json`.
"""

import argparse
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import TypedDict

from benchmarks.shared.markup import duration, grid
from benchmarks.shared.results_file import ResultsFile, Run, mean_load, packages
from benchmarks.shared.results_file import run as recorded
from helpers.dbt_runs import DbtProject, install_dbt, refused
from helpers.dbt_shop import DBT

RAW = """
create table events as
    select i as id, i % 97 as customer, i % 11 as kind, date '2026-01-01' + (i % 90)::int as day,
        (i * 7919) % 1000 as cents
    from range({rows}) t(i)"""


def model(number: int) -> str:
    """Return the SQL of a model. It has one of five common shapes, and reads earlier models."""
    ref, source = f"ref('m{number - 5}')", "source('main', 'events')"
    before = f"{{{{ {ref if number >= 5 else source} }}}}"
    forms = (
        f"select id, customer, kind, day, cents + {number} as cents from {before} where cents > 10",
        f"with o as (select * from {before}), final as (select *, row_number() over "
        "(partition by customer order by id) as n from o) "
        "select id, customer, kind, day, cents from final where n <= 100",
        f"select min(id) as id, customer, kind, min(day) as day, sum(cents) as cents from {before} "
        "group by customer, kind",
        f"select a.id, a.customer, a.kind, a.day, b.cents from {before} a "
        f"join (select customer, max(cents) as cents from {before} group by customer) b "
        "on a.customer = b.customer",
        f"select id, customer, kind, day, case when kind = 3 then 0 else cents end as cents "
        f"from {before}",
    )
    return forms[number % 5]


def files(models: int) -> dict[str, str]:
    """Return the files of a project; a third of the models are views."""
    found = {
        "models/sources.yml": "sources: [{name: main, schema: main, tables: [{name: events}]}]\n"
    }
    for number in range(models):
        kind = "view" if number % 3 == 0 else "table"
        config = f"{{{{ config(materialized='{kind}') }}}}\n"
        found[f"models/m{number}.sql"] = config + model(number)
    return found


class Built(TypedDict):
    """The processor seconds of two builds of one project, without and with lineage."""

    models: int
    triples: int
    dbt: float
    """The seconds of the complete build by plain dbt."""
    lineage: float
    """The seconds to find the lineage of all rows after dbt has ended."""


class Content(Run):
    """The results of the last run."""

    rows: int
    built: list[Built]


RESULTS = ResultsFile[Content]("dbt_lineage.json")


def table(results: Content) -> str:
    """Return a table of all builds."""
    rows = [
        (f"{each['models']}", f"{each['triples']:,}", duration(each["dbt"]),
         duration(each["lineage"]), f"{1 + each['lineage'] / each['dbt']:.2f}x")
        for each in results["built"]
    ]  # fmt: skip
    titles = ("models", "triples", "plain dbt", "its lineage", "with lineage")
    return grid(titles, rows, left=())


def main() -> None:
    """Measure pairs of builds, and write the results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", type=int, nargs="+", default=[100, 300])
    options.add_argument("--rows", type=int, default=1000)
    options.add_argument("--pairs", type=int, default=1)
    given = options.parse_args()
    install_dbt()
    run = recorded(mean_load(), packages("duckdb", "sqlglot", "numba"))
    built = [each for number in given.models for each in measured(number, given)]
    RESULTS.write({**run, "rows": given.rows, "built": built})


def measured(models: int, given: argparse.Namespace) -> Iterator[Built]:
    """Yield pairs of builds of one generated project."""
    with tempfile.TemporaryDirectory() as folder:
        project = DbtProject.write(Path(folder) / "project", files(models))
        project.sql(RAW.format(rows=given.rows))
        places = ["--profiles-dir", str(project.root), "--project-dir", str(project.root)]
        plain = [str(DBT / "dbt"), "run", "--quiet", "--no-version-check", *places]
        for _ in range(given.pairs):
            before = _children()
            subprocess.run(plain, check=True)
            dbt, began, before = _children() - before, process_time(), _children()
            built = project.dbt("run")
            assert built is not None
            assert not refused(built)
            own, child = process_time() - began, _children() - before
            print(f"{models} models: {dbt:.1f} s, watched {child:.1f} s, lineage {own:.1f} s")
            yield {"models": models, "triples": built.triples, "dbt": dbt, "lineage": own}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()

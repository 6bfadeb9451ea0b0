"""Measure what record lineage costs a build of a generated dbt project, beside plain dbt."""

import argparse
import resource
import tempfile
from pathlib import Path
from subprocess import run
from time import process_time

from helpers.dbt_runs import DbtProject, install_dbt, refused
from helpers.dbt_shop import DBT

RAW = """
create table events as
    select i as id, i % 97 as customer, i % 11 as kind, date '2026-01-01' + (i % 90)::int as day,
        (i * 7919) % 1000 as cents
    from range({rows}) t(i)"""


def model(number: int) -> str:
    """Return the SQL of a model: one of five common forms, on earlier models."""
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


def main() -> None:
    """Print the processor time of plain dbt, and what lineage adds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--models", type=int, default=300)
    options.add_argument("--rows", type=int, default=1000)
    given = options.parse_args()
    install_dbt()
    with tempfile.TemporaryDirectory() as folder:
        project = DbtProject.write(Path(folder) / "project", files(given.models))
        project.sql(RAW.format(rows=given.rows))
        for name in ("first", "second"):
            before = _children()
            plain = [str(DBT / "dbt"), "run", "--quiet", "--no-version-check"]
            places = ["--profiles-dir", str(project.root), "--project-dir", str(project.root)]
            run([*plain, *places], check=True)
            dbt = _children() - before
            began, before = process_time(), _children()
            built = project.dbt("run")
            assert built is not None
            own, child = process_time() - began, _children() - before
            print(
                f"{name}: dbt {dbt:.1f} s; with lineage {child:.1f} s + {own:.1f} s = "
                f"{(child + own) / dbt:.2f}x; {built.triples:,} triples; {refused(built)}"
            )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()

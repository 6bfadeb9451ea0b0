"""Real dbt builds a small shop night by night: rows of every kind of model have their lineage."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.dbt_nights import FILES, RAW, SECOND_NIGHT
from helpers.dbt_runs import DbtProject, install_dbt, refused
from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.interactive.dbt.failing_rows import failing_rows
from provhouse.interactive.dbt.kept_tables import KeptTables
from provhouse.interactive.dbt.project_lineage import BuiltProject
from provhouse.interactive.dbt.traced_run import ingest_waiting
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import read_reports

Night = tuple[DbtProject, BuiltProject]
CLICKS = "create table clicks as select date '2026-01-01' as day, 'a' as page"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Night:
    """The first night. An earlier dbt run without provhouse has left the table clicks."""
    install_dbt()
    project = DbtProject.write(tmp_path_factory.mktemp("dbt") / "shop", FILES)
    project.sql(RAW + CLICKS)
    built = project.dbt("build", "--exclude", "test_type:generic")
    assert built is not None
    return project, built


def test_every_model_of_a_night_has_lineage(first: Night) -> None:
    project, built = first
    assert refused(built) == {}
    assert built.run == 2  # version 1 are the rows that were there
    assert project.sources("stg_orders/12@2") == {"raw.orders/12"}
    assert project.sources("customers/1@2") == {
        "stg_customers/0@2", "stg_orders/10@2", "stg_orders/11@2", "countries/AT@2"
    }  # fmt: skip
    assert project.sources("customers/3@2") == {"stg_customers/2@2", "stg_orders/13@2"}
    assert project.sources("daily/2026-01-02@2") == {"stg_orders/12@2", "stg_orders/13@2"}
    assert project.sources("pages/0@2") == {"clicks/0@1"}
    assert project.sources("amounts/5@2") == {"stg_orders/10@2"}  # 5.00 euros
    (name,) = {dst for src, dst, _ in project.triples() if dst.startswith("history/1/")}
    assert project.sources(name) == {"stg_customers/0@2"}


def test_rows_of_seeds_come_from_lines_of_their_files(first: Night) -> None:
    project, _ = first
    assert project.sources("countries/FR@2") == {"countries.csv/3@2"}
    assert [project.sources(f"notes/{at}@2") for at in range(4)] == [
        {f"notes.csv/{line}@2"} for line in (2, 5, 6, 7)
    ]


def test_rows_that_another_program_has_built_say_so(first: Night) -> None:
    project, built = first
    assert built.changed == ("clicks",)
    assert project.sources("clicks/0@1") == {"unknown/clicks@1"}
    assert project.sources("clicks/1@2") == {"raw.clicks/2@2", "clicks/0@1"}


def test_operations_are_named_after_models_and_groups(first: Night) -> None:
    project, _ = first
    ops = {dst.split("/")[0]: op for _, dst, op in project.triples()}
    assert ops["revenue"] == "revenue: group by day"
    assert ops["stg_orders"] == "stg_orders"
    assert ops["customers"] == "customers: join"


@pytest.mark.long
def test_nights_are_not_mixed(tmp_path: Path, houses: Callable[..., House]) -> None:
    install_dbt()
    project = DbtProject.write(tmp_path / "shop", FILES)
    project.sql(RAW)
    project.dbt("build")
    project.sql(SECOND_NIGHT)
    built = project.dbt("build")
    assert built is not None
    assert (built.run, built.changed, refused(built)) == (2, (), {})
    assert project.sources("amounts/0.5@2") == {"stg_orders/15@2"}
    assert sorted(project.ended(2)) == ["customers/3"]
    second = {dst: project.sources(dst) for _, dst, _ in project.triples(2)}
    assert second["customers/2@2"] == {"stg_customers/1@2", "stg_orders/14@2", "countries/DE@2"}
    assert "daily/2026-01-01@2" not in second  # its row stays as night 1 has made it
    assert second["daily/2026-01-02@2"] == {
        "stg_orders/12@2", "stg_orders/13@2", "stg_orders/14@2", "daily/2026-01-02@1"
    }  # fmt: skip
    assert {dst for dst in second if dst.startswith("clicks/")} == {"clicks/3@2", "clicks/4@2"}
    assert second["pages/0@2"] == {"clicks/0@1", "clicks/1@1", "clicks/3@2", "clicks/4@2"}
    closed = {dst: src for dst, src in second.items() if dst.startswith("history/2/")}
    assert sorted(map(sorted, closed.values())) == [
        sorted({next(iter(closed)).replace("@2", "@1"), "stg_customers/1@2"}),
        ["stg_customers/1@2"],
    ]
    gone = [src for dst, src in second.items() if dst.startswith("history/3/")]
    assert [{name.split("/")[0] for name in src} for src in gone] == [{"history"}]
    full = project.dbt("build", "--full-refresh", "--select", "daily", "clicks")
    assert full is not None
    assert refused(full) == {}
    assert "daily/2026-01-01@3" in {dst for _, dst, _ in project.triples(3)}
    house = houses()
    with KeptTables(project.lineage) as kept:
        assert ingest_waiting(kept, project.lineage, house.settings, Silent()) == 3
    house.check()
    with house.open() as warehouse:
        with pytest.raises(NotFound, match=r"'customers/3' was deleted\nRun 2 of dbt"):
            warehouse.lineage("customers/3")
        for found in (
            warehouse.lineage("customers/3@1"),
            warehouse.lineage("customers/3", as_of=1),
        ):
            assert "raw.orders/13" in {each.item for each in found.items}
        assert warehouse.lineage("customers/2").versions == ("customers/2@2",)


@pytest.mark.long
def test_blame_shows_the_rows_of_a_failed_test_and_their_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_dbt()
    test = "version: 2\nmodels: [{name: pages, columns: [{name: clicks, data_tests: "
    accepted = "[{accepted_values: {values: [1, 2], quote: false}}]}]}]\n"
    project = DbtProject.write(tmp_path / "shop", {**FILES, "models/pages.yml": test + accepted})
    project.sql(RAW + "insert into raw.clicks values ('2026-01-04', 'a')")
    project.dbt("build", status=1)
    results = project.root / "target/run_results.json"
    found = failing_rows(results, None, project.lineage)
    assert [(row.item, row.values["clicks"]) for row in found.rows] == [("pages/0@1", 3)]
    (clicks,) = found.lineage
    assert clicks.table == "raw.clicks"
    assert [record.values["page"] for record in clicks.records] == ["a"] * 3
    warehouse = ["--warehouse", str(project.root / "warehouse")]
    assert run([*warehouse, "blame", "--dbt", str(results), "--format", "table"]) == 0
    assert "pages/0@1" in capsys.readouterr().out
    layout = Layout(project.root / "warehouse")
    assert read_reports(layout, "blame") == []  # nothing makes the folder a warehouse yet
    (project.root / "warehouse").mkdir()
    create_identity(layout)
    assert run([*warehouse, "blame", "--dbt", str(results)]) == 0
    (report,) = read_reports(layout, "blame")
    assert (report["fault"], report["rows"][0]["item"]) == ("a test of dbt", "pages/0@1")

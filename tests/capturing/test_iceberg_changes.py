"""DELETE, UPDATE and MERGE of Iceberg tables, compared with a model of each row's history.

The model is the one for Delta: plain Python that runs the clauses of random statements. Long tests,
since provhouse's own Spark has no Iceberg.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from helpers.changing_elsewhere import IcebergChanging
from helpers.other_session import OtherSession, started
from helpers.warehouse import House
from provhouse.model.errors import NotFound, UsageError

from .test_changes_without_key import COUNT, Table, merged
from .test_iceberg import VERSION, iceberg
from .test_random_changes import Program

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
NUMBERS = count()
"""The numbers of the tables' namespaces."""
PARTITIONS = {
    "whole": "",
    "buckets": "PARTITIONED BY (bucket(2, k))",
    "values": "PARTITIONED BY (v)",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OtherSession]:
    """A session of another process, for all tests."""
    folder = tmp_path_factory.mktemp("ice, ünd")
    catalog = "spark.sql.catalog.ice"
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    settings = {
        "spark.jars": str(iceberg("iceberg-4.1_2.13")),
        "spark.sql.extensions": extensions,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(folder / "ice house"),
    }
    with started(VERSION, folder, settings) as session:
        yield session


def table(
    session: OtherSession, house: House, folder: Path, form: int, partitions: str, mode: str
) -> IcebergChanging:
    """Return a table that is not yet made."""
    modes = {f"write.{command}.mode": mode for command in ("delete", "update", "merge")}
    return IcebergChanging(
        house,
        folder,
        session=session,
        namespace=f"n{next(NUMBERS)}",
        partitions=PARTITIONS[partitions],
        properties={"format-version": str(form), **modes},
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", [2, 3])
def test_random_programs_have_the_lineage_of_the_model(
    form: int,
    mode: str,
    partitions: str,
    seed: int,
    session: OtherSession,
    houses: Callable[..., House],
    tmp_path: Path,
) -> None:
    changing = table(session, houses(), tmp_path, form, partitions, mode)
    program = Program(changing, seed)
    program.begin()
    for _ in range(6):
        program.step()
        assert changing.rows() == program.rows
    changing.check()


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", [2, 3])
def test_an_update_may_have_a_subquery_in_its_condition(
    form: int,
    mode: str,
    partitions: str,
    session: OtherSession,
    houses: Callable[..., House],
    tmp_path: Path,
) -> None:
    """A changed row also derives from the rows that the condition found. Copied rows do not."""
    changing = table(session, houses(), tmp_path, form, partitions, mode)
    orders = changing.source("orders", k=[*range(12)], v=[k % 4 for k in range(12)])
    changing.load(orders, {k: f"orders/{k}" for k in range(12)})
    changing.source("news", k=[1, 2, 5, 40, 99], v=[1, 1, 1, 9, 9])
    found = "(SELECT nullif(k, 99) FROM news WHERE v < 10)"  # other rows are neither in nor not in
    version = changing.run(f"UPDATE {{}} SET v = v + 1 WHERE k IN {found}")
    changing.note(version, {k: [f"news/{k}"] for k in (1, 2, 5)})
    version = changing.run(f"UPDATE {{}} SET v = 0 WHERE k NOT IN {found}")
    assert not version
    version = changing.run(f"UPDATE {{}} SET v = v + 1 WHERE k IN {found} OR k > 10")
    changing.note(version, {1: ["news/1"], 2: ["news/2"], 5: ["news/5"], 11: []})
    version = changing.run("UPDATE {} SET v = 7 WHERE k = (SELECT max(k) FROM news WHERE v = 1)")
    changing.note(version, {5: ["news/1", "news/2", "news/5"]})
    version = changing.run("UPDATE {0} t SET v = 8 WHERE k - 1 IN (SELECT k FROM {0} WHERE v = 7)")
    changing.note(version, {6: [changing.names[5]]})
    version = changing.run("UPDATE {} SET v = (SELECT max(v) FROM news) WHERE k = 8")
    changing.note(version, {8: [f"news/{k}" for k in (1, 2, 5, 40, 99)]})
    assert {k: v for k, v in changing.rows().items() if v > 4} == {5: 7, 6: 8, 8: 9}
    changing.check()


@pytest.mark.parametrize("form", [2, 3])
def test_truncate_ends_all_rows(
    form: int, session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    changing = table(session, houses(), tmp_path, form, "whole", "merge-on-read")
    orders = changing.source("orders", k=[*range(6)], v=[*range(6)])
    changing.load(orders, {k: f"orders/{k}" for k in range(6)})
    version = changing.run("DELETE FROM {} WHERE k = 3")
    changing.note(version, {}, gone=[3])
    version = changing.run("TRUNCATE TABLE {}")
    assert version
    changing.note(version, {}, gone=[*changing.names])
    assert not changing.rows()
    again = changing.source("again", k=[3], v=[1])
    version = changing.run(f"INSERT INTO {{}} SELECT * FROM {again}")
    changing.note(version, {3: ["again/3"]}, new=True)
    changing.check()


@dataclass
class Unkeyed(Table):
    """The table ``balance`` without a declared key, and the model for Delta."""

    changing: IcebergChanging = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.changing.table

    def source(self, name: str, /, **columns: list[object]) -> None:
        self.changing.source(name, **columns)

    def load(self) -> None:
        given = ", ".join(f"'{name}' = '{value}'" for name, value in self.properties.items())
        self.changing.session.sql(
            f"CREATE TABLE {self.name} (n bigint, k bigint, v bigint, name string) USING iceberg "
            f"{self.changing.partitions} TBLPROPERTIES ({given})"
        )
        self.source(
            "orders",
            n=[*range(COUNT)],
            k=[None, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6],
            v=[n % 4 or None for n in range(COUNT)],
            name=[f"n{n}" for n in range(COUNT)],
        )
        rows = "SELECT /*+ REPARTITION_BY_RANGE(2, n) */ * FROM orders"
        self.change(f"INSERT INTO {self.name} {rows}", {"orders": "n"})
        self.sources = {n: {f"orders/{n}"} for n in range(COUNT)}
        self.rows = dict.fromkeys(range(COUNT), 1)
        assert len(set(self.files().values())) > 1

    def files(self) -> dict[int, str]:
        return dict(self.changing.session.sql(f"SELECT n, _file FROM {self.name}"))

    def change(self, statement: str, keys: dict[str, str]) -> None:
        self.changing.block(statement, keys)

    def report(self) -> None:
        report = self.name.replace("balance", "report")
        rows = f"SELECT * FROM {self.name}"
        self.change(f"CREATE OR REPLACE TABLE {report} USING iceberg AS {rows}", {"report": "n"})


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", [2, 3])
def test_without_a_key_a_copied_row_derives_from_its_original_alone(
    form: int,
    mode: str,
    partitions: str,
    session: OtherSession,
    houses: Callable[..., House],
    tmp_path: Path,
) -> None:
    house = houses()
    changing = table(session, house, tmp_path, form, partitions, mode)
    found = Unkeyed(house, tmp_path, changing.properties, changing=changing)
    found.load()
    merged(found, 100, 9)
    assert found.rows.keys() == {*range(COUNT), 102, 103} - {4, 5}
    found.run("UPDATE {} SET name = 'x' WHERE v = 1", {1: set(), 9: set()})
    found.run("DELETE FROM {} WHERE v IS NULL", {})
    found.run("UPDATE {} SET name = 'y' WHERE n > 1000", {})
    merged(found, 200, 10)
    found.source("news", n=[300, 301], k=[3, 3], v=[1, 1], name=["a", "b"])
    both = {"news/300", "news/301"}
    found.run("UPDATE {} SET name = 'z' WHERE k IN (SELECT k FROM news)", {6: both, 7: both})
    found.run("UPDATE {} SET v = (SELECT max(v) FROM news) WHERE n = 2", {2: both})
    found.run("DELETE FROM {} WHERE n IN (SELECT n - 292 FROM news)", {})
    assert found.rows.keys().isdisjoint({8, 9})
    found.check()
    found.run("DELETE FROM {}", {})
    found.check()


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET v = 1 WHERE k = 2", "DELETE FROM {} WHERE k = 2", "DELETE FROM {}"]
)
def test_a_table_that_was_written_with_a_key_needs_it(
    statement: str, mode: str, session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    """Compaction outside of a block moves all rows to a file that no captured job wrote."""
    changing = table(session, houses(), tmp_path, 2, "whole", mode)
    orders = changing.source("orders", k=[*range(6)], v=[*range(6)])
    changing.load(orders, {k: f"orders/{k}" for k in range(6)})
    session.sql(
        f"CALL ice.system.rewrite_data_files(table => '{changing.namespace}.balance', "
        "options => map('rewrite-all', 'true'))"
    )
    with pytest.raises(UsageError, match="named its rows by the key k"):
        changing.block(statement, {})


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
@pytest.mark.parametrize("form", [2, 3])
def test_rows_that_were_deleted_outside_of_a_block_are_no_sources(
    form: int, mode: str, session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    """Without the rows that have ended, the key is unique."""
    changing = table(session, houses(), tmp_path, form, "whole", mode)
    orders = changing.source("orders", k=[*range(6)], v=[*range(6)])
    changing.load(orders, {})
    other = changing.table.replace("balance", "other")
    given = ", ".join(f"'{name}' = '{value}'" for name, value in changing.properties.items())
    made = f"CREATE TABLE {other} USING iceberg TBLPROPERTIES ({given})"
    session.sql(f"{made} AS SELECT * FROM {changing.table}")
    for statement in (
        "UPDATE {} SET v = v + 1 WHERE k < 4",
        "UPDATE {} SET v = 0 WHERE k > 2",
        "DELETE FROM {} WHERE k = 5",
    ):
        session.sql(statement.format(other))
    report = changing.table.replace("balance", "copy")
    changing.block(f"CREATE TABLE {report} AS SELECT * FROM {other}", {"other": "k", "copy": "k"})
    version = changing.block(f"UPDATE {report} SET v = 7 WHERE k = 2", {"copy": "k"})
    with changing.house.open() as warehouse:
        for key in (0, 1, 3, 4):
            assert {each.item for each in warehouse.lineage(f"copy/{key}").items} == {
                f"other/{key}"
            }
        assert warehouse.lineage("copy/2").versions == (f"copy/2@{version}",)
        with pytest.raises(NotFound):
            warehouse.lineage("copy/5")


@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_rows_that_were_moved_outside_of_a_block_keep_their_versions(
    mode: str, session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    """From format 3 on, rows have ids. Rows that were changed meanwhile have no version."""
    changing = table(session, houses(), tmp_path, 3, "whole", mode)
    orders = changing.source("orders", k=[*range(8)], v=[*range(8)])
    changing.load(orders, {k: f"orders/{k}" for k in range(8)})
    version = changing.run("UPDATE {} SET v = v + 1 WHERE k = 1")
    changing.note(version, {1: []})
    move = f"CALL ice.system.rewrite_data_files(table => '{changing.namespace}.balance', "
    session.sql(f"{move} options => map('rewrite-all', 'true'))")
    changing.check()
    version = changing.run("UPDATE {} SET v = v + 1 WHERE k = 2")
    changing.note(version, {2: []})
    session.sql(f"UPDATE {changing.table} SET v = 100 WHERE k = 3")
    session.sql(f"{move} options => map('rewrite-all', 'true'))")
    changing.names[3] = "balance/3"
    version = changing.run("DELETE FROM {} WHERE k = 4")
    changing.note(version, {}, gone=[4])
    changing.check()

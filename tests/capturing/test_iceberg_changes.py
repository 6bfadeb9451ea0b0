"""DELETE, UPDATE and MERGE of Iceberg tables, compared with a model of each row's history.

The model is the one for Delta: plain Python that runs the clauses of random statements. Long tests,
since provhouse's own Spark has no Iceberg.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from helpers.changing_elsewhere import IcebergChanging
from helpers.other_session import OtherSession, started
from helpers.warehouse import House
from provhouse.model.errors import NotFound

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

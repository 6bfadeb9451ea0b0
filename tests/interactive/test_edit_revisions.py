"""An analyst's edits become revisions of a workflow, with executions and results."""

from pathlib import Path

import duckdb
import pytest

from helpers.flow import rows, write
from provhouse.interactive.duckdb_session import connect
from provhouse.model.errors import UsageError
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.executions import executions_of
from provhouse.workflows.listed import list_results, list_revisions
from provhouse.workflows.result_files import result_path
from provhouse.workflows.reuse import reuse
from provhouse.workflows.revision_diff import diff_revisions

ORDERS = "select i::integer as id, (i * 7 % 40)::integer as amount from range(60) t(i)"
ALL = "select id, amount from orders"
EDITS = {
    f"{ALL} where amount > 10": ("computed", 0),
    f"{ALL} where amount > 20": ("filter", 1),
    f"{ALL} where amount > 5": ("delta", 2),
    f"{ALL} o where o.amount > 10": ("key", 1),
}
"""Edits, how each is computed, and the number of the edit whose result is used."""


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A Parquet file with orders."""
    path = tmp_path / "orders.parquet"
    write(ORDERS, path)
    return path


def test_edits_of_a_file_are_revisions_with_results(orders: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "warehouse")
    edits = connect(orders).edits(workflow="sales", warehouse=layout.root)
    for number, (query, (by, of)) in enumerate(EDITS.items(), 1):
        found = edits.sql(query)
        assert (found.by, found.of, found.revision) == (by, of, f"sales@r{number}")
    executions = executions_of(layout)
    ids = ["", *(each.execution for each in executions)]
    assert [each.reused_from for each in executions] == [ids[of] for _, of in EDITS.values()]
    assert all(each.started <= each.ended and each.state == "finished" for each in executions)
    for each, query in zip(executions, EDITS, strict=True):
        oracle = duckdb.execute(query.replace("orders", f"'{orders}'")).fetchall()
        assert rows(result_path(layout, each.result)) == sorted(
            tuple(map(repr, row)) for row in oracle
        )
    assert [each.inputs[0].place for each in executions] == [str(orders)] * 4
    assert len(list_revisions(layout, "sales").revisions) == 4
    listed = list_results(layout, "sales").results
    assert [each.reused_from for each in listed] == [each.reused_from for each in executions]
    assert reuse(layout, "sales@r4").decision == "reuse"
    diff = diff_revisions(layout, "sales@r1", "sales@r2", records=True).results
    assert diff
    assert {each.cause for each in diff.records} == {"code"}
    write(f"{ORDERS} union all select 99, 30", orders)
    assert "changed" in reuse(layout, "sales@r4").reason


def test_edits_of_a_database_are_pinned_by_the_rows_of_its_tables(tmp_path: Path) -> None:
    layout, path = Layout(tmp_path / "warehouse"), tmp_path / "shop.duckdb"
    query = f"{ALL} where amount > 10"
    with connect(path) as con:
        con.execute(f"create table orders as {ORDERS}")
        edits = con.edits(workflow="sales", warehouse=layout.root)
        assert edits.sql(query).revision == "sales@r1"
        con.execute("update orders set amount = 39 where id = 1")
        assert edits.sql(query).by == "computed"
        con.execute("checkpoint")
    one, other = executions_of(layout)
    assert one.inputs[0].kind == other.inputs[0].kind == "table"
    assert one.inputs[0].state != other.inputs[0].state
    assert reuse(layout, "sales@r1").result == other.result != one.result
    with duckdb.connect(path) as changed:
        changed.execute("update orders set amount = 1 where id = 1")
    assert reuse(layout, "sales@r1").decision == "build"
    path.unlink()
    assert "Cannot read" in reuse(layout, "sales@r1").reason


def test_an_edit_that_cannot_be_stored_warns(orders: Path, tmp_path: Path) -> None:
    con = connect(orders)
    edits = con.edits(workflow="sales", warehouse=tmp_path / "warehouse")
    con.execute("create macro twice(x) as x * 2")
    with pytest.warns(UserWarning, match="not a revision of sales"):
        found = edits.sql("select twice(amount) as a from orders")
    assert (found.revision, found.rows.num_rows) == ("", 60)
    con.execute("set default_null_order = 'nulls_first'")
    with pytest.warns(UserWarning, match="default_null_order"):
        assert edits.sql(ALL).revision == ""


def test_edits_of_a_connection_of_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be stored"):
        connect(duckdb.connect()).edits(workflow="sales", warehouse=tmp_path / "warehouse")


def test_an_uncertain_edit_is_a_revision_whose_result_is_not_offered(
    orders: Path, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "warehouse")
    edits = connect(orders).edits(workflow="sales", warehouse=layout.root)
    assert edits.sql("select random() as r from orders").revision == "sales@r1"
    assert reuse(layout, "sales@r1").decision == "build"

"""A stored result is used only if executing the revision would certainly give the same result."""

import os
from pathlib import Path
from typing import Any

import deltalake
import duckdb
import pytest

from helpers.flow import Flow, rows, write
from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.store.tables.registry import PROOFS, read
from provhouse.workflows.proofs import StoredProof, store_proofs, stored_proofs, verifier
from provhouse.workflows.result_files import result_path
from provhouse.workflows.revision_names import RevisionName, revision_name
from provhouse.workflows.revisions import add_revision, find_revision

DDL = "create table orders(id integer primary key, state varchar, amount integer not null);"
ORDERS = (
    "select i::integer id, 'S' || (i % 5) state, (i * 7 % 10)::integer amount from range(99) t(i)"
)
FIRST = "select state, count(*) as n from orders where amount > 1 and id < 50 group by state"
SAME = """with few as (select id as i, amount as a, state as s from orders)
    select s as state, count(*) as n from few where i < 50 and a > 1 group by s"""
OTHER = "select state, count(*) as n from orders where amount > 2 and id < 50 group by state"


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    """A workflow with one table and an executed first revision."""
    made = Flow(tmp_path, DDL)
    made.table("orders", ORDERS)
    made.execute(made.add(FIRST), FIRST, "orders")
    return made


def executed(flow: Flow, text: str) -> list[tuple[str, ...]]:
    """Return the rows of a query on the flow's tables."""
    path = flow.folder / "oracle.parquet"
    write(text, path, flow.prepared("orders"))
    return rows(path)


def test_an_equal_query_has_the_stored_result(flow: Flow) -> None:
    found = flow.reuse(flow.add(SAME))
    assert (found.decision, found.by, found.of) == ("reuse", "key", "flow@r1")
    assert rows(found.path) == executed(flow, SAME)


def test_another_query_is_built_and_the_first_difference_is_named(flow: Flow) -> None:
    found = flow.reuse(flow.add(OTHER))
    assert (found.decision, found.path) == ("build", "")
    assert found.operator == "filter, operator 2 of 4"
    assert rows(result_path(flow.layout, flow.reuse(1).result)) != executed(flow, OTHER)


def test_a_reader_of_unchanged_columns_has_the_stored_result(flow: Flow) -> None:
    wider = FIRST.replace("count(*) as n", "count(*) as n, sum(amount) as total")
    number = flow.add(wider)
    assert flow.reuse(number).decision == "build"
    found = flow.reuse(number, columns=("state", "n"))
    assert (found.decision, found.by) == ("reuse", "columns")
    with pytest.raises(UsageError):
        flow.reuse(number, columns=("none",))


def test_a_result_of_changed_inputs_is_not_used(flow: Flow) -> None:
    flow.table("orders", ORDERS.replace("* 7", "* 3"))
    found = flow.reuse(1)
    assert (found.decision, found.reason) == ("build", "orders changed since flow@r1 was executed")
    flow.table("orders", ORDERS)  # the same bytes again
    assert flow.reuse(1).decision == "reuse"


def test_a_file_of_the_same_size_and_time_is_another_input(flow: Flow) -> None:
    path = flow.folder / "orders.parquet"
    before = path.stat()
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(bytes(content))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert flow.reuse(1).decision == "build"


def test_a_removed_or_changed_result_is_not_used(flow: Flow) -> None:
    path = result_path(flow.layout, flow.reuse(1).result)
    content = path.read_bytes()
    path.write_bytes(content[:-9] + b"x" + content[-8:])
    assert flow.reuse(1).reason == "the file of the result has changed"
    path.unlink()
    assert flow.reuse(1).reason == "the file of the result was removed"
    flow.execute(1, FIRST, "orders")
    assert flow.reuse(1).decision == "reuse"


def test_a_query_that_varies_is_never_reused(flow: Flow) -> None:
    text = "select id from orders order by state limit 3"
    number = flow.add(text)
    registered = flow.execute(number, text, "orders")
    assert registered.doubts == ("rows that tie may come in any order",)
    assert (flow.reuse(number).decision, flow.reuse(number).reason) == ("build", *registered.doubts)


@pytest.mark.parametrize(
    "orders",
    [ORDERS + " union all select 1, 'S1', 1", ORDERS.replace("(i * 7 % 10)", "nullif(i % 9, 3)")],
    ids=["duplicates of the key", "NULL"],
)
def test_constraints_that_the_data_break_do_not_count(tmp_path: Path, orders: str) -> None:
    flow = Flow(tmp_path, DDL)
    flow.table("orders", orders)
    text = "select id, amount from orders order by id limit 3"
    path = flow.folder / "out.parquet"
    write("select 1::integer as id, 2::integer as amount", path)
    found = flow.store(flow.add(text), {"result": path}, "orders")
    assert found.doubts == ("the pinned data of orders break the constraints of the DDL",)
    assert flow.reuse(1).decision == "build"


@pytest.mark.long
def test_constraints_of_another_ddl_are_checked(flow: Flow) -> None:
    ddl = DDL.replace("state varchar", "state varchar not null")
    assert flow.reuse(flow.add(FIRST, ddl)).decision == "build"  # the column's key has changed
    text = "select amount from orders"
    flow.execute(flow.add(text), text, "orders")
    assert flow.reuse(flow.add(text, ddl)).decision == "reuse"
    flow.table("orders", ORDERS.replace("'S' || (i % 5)", "nullif('S', 'S')"))
    flow.execute(3, text, "orders")
    assert flow.reuse(4).reason == "the pinned data of orders break the constraints of the DDL"


def test_inputs_may_be_named(flow: Flow) -> None:
    kept = flow.folder / "kept.parquet"
    kept.write_bytes((flow.folder / "orders.parquet").read_bytes())
    flow.table("orders", "select 1::integer id, 'S' state, 1::integer amount")
    assert flow.reuse(1).decision == "build"
    assert flow.reuse(1, inputs={"orders": str(kept)}).decision == "reuse"
    with pytest.raises(BadInput):
        flow.reuse(1, inputs={"people": str(kept)})
    with pytest.raises(BadInput):
        flow.reuse(1, inputs={"orders": str(flow.folder / "none.parquet")})


def test_inputs_that_disappeared_mean_no_reuse(flow: Flow) -> None:
    (flow.folder / "orders.parquet").unlink()
    assert flow.reuse(1).decision == "build"


def test_a_vacuumed_version_keeps_its_result(tmp_path: Path) -> None:
    """The result of a Delta version stays right when the version's files are gone."""
    flow, place = Flow(tmp_path, DDL), str(tmp_path / "lake")
    for version in range(2):
        made: Any = duckdb.sql(ORDERS.replace("* 7", f"* {7 + version}"))
        deltalake.write_deltalake(place, made.to_arrow_table(), mode="overwrite")
    deltalake.DeltaTable(place, version=0).to_pyarrow_table()
    flow.table("orders", ORDERS)
    number, path = flow.add(FIRST), tmp_path / "out.parquet"
    write(FIRST, path, flow.prepared("orders"))
    flow.store_with({"result": path}, number, {"orders": f"{place}@0"})
    table = deltalake.DeltaTable(place)
    table.vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False)
    with pytest.raises(FileNotFoundError):
        deltalake.DeltaTable(place, version=0).to_pyarrow_table()
    found = flow.reuse(flow.add(SAME), inputs={"orders": f"{place}@0"})
    assert (found.decision, rows(found.path)) == ("reuse", executed(flow, SAME))
    assert flow.reuse(number, inputs={"orders": f"{place}@1"}).decision == "build"


def test_a_file_of_other_columns_is_no_result(flow: Flow) -> None:
    path = flow.folder / "wrong.parquet"
    write("select 1 as n, 'S' as state", path)
    with pytest.raises(BadInput, match="is not a result of this revision"):
        flow.store(1, {"result": path}, "orders")
    with pytest.raises(BadInput, match="not pinned"):
        flow.store(1, {"result": path})
    with pytest.raises(NotFound):
        flow.store(9, {"result": path}, "orders")
    with pytest.raises(NotFound):
        flow.store(1, {"chart": path}, "orders")


def test_equal_results_are_stored_once(flow: Flow) -> None:
    flow.execute(flow.add(OTHER), OTHER, "orders")
    flow.execute(flow.add(SAME), SAME, "orders")
    flow.execute(1, f"select * from ({FIRST}) order by n", "orders")
    assert len([*flow.layout.results.glob("*.parquet")]) == 2


def test_an_unchanged_revision_is_not_added_again(flow: Flow) -> None:
    assert [flow.add(FIRST), flow.add(OTHER), flow.add(OTHER), flow.add(FIRST)] == [1, 2, 2, 3]


@pytest.mark.parametrize("name", ["flow", "flow@1", "flow@r0", "@r1", "a b@r1", "flow@r1@r2", ""])
def test_a_wrong_name_of_a_revision_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        revision_name(name)


@pytest.mark.parametrize("name", ["", "a b", "a@r1", "/a"])
def test_a_wrong_name_of_a_workflow_is_refused(flow: Flow, name: str) -> None:
    with pytest.raises(UsageError):
        add_revision(name, {"result": FIRST}, "sql", DDL, flow.settings, Silent())


def test_each_pair_is_compared_once(flow: Flow) -> None:
    number = flow.add(OTHER)
    flow.reuse(number)
    (proof,) = stored_proofs(flow.layout).verdicts.values()
    assert (proof.verdict, bool(proof.counterexample)) == ("different", True)
    flow.reuse(number)
    assert read(flow.layout, PROOFS).num_rows == 1


def _claim(flow: Flow, one: int, other: int) -> None:
    """Store a false proof that two revisions are equal."""
    plans = [find_revision(flow.layout, RevisionName("flow", n)).sink()[1] for n in (one, other)]
    wrong = StoredProof(
        plans[0].key, plans[1].key, "equal", "proof", "claimed", 0, (), "", verifier()
    )
    store_proofs(flow.layout, [wrong])


@pytest.mark.long
def test_an_audit_revokes_a_wrong_rule_and_all_its_proofs(flow: Flow) -> None:
    third = FIRST.replace("> 1", "> 3")
    for text in (OTHER, third):
        flow.add(text)
    _claim(flow, 1, 2)
    _claim(flow, 1, 3)
    assert [flow.reuse(2).by, flow.reuse(3).by] == ["proof", "proof"]
    found = flow.reuse(2, audited=1.0)
    assert (found.decision, "rule proof is revoked" in found.reason) == ("build", True)
    assert [flow.reuse(2).decision, flow.reuse(3).decision] == ["build", "build"]
    assert flow.reuse(1, audited=1.0).audited  # the rule of keys still counts


def test_an_audit_withdraws_a_wrong_result(flow: Flow) -> None:
    number = flow.add("select id from orders where amount > 3")
    path = flow.folder / "lie.parquet"
    write("select 7::integer as id", path)
    flow.store(number, {"result": path}, "orders")
    flow.store(number, {"result": path}, "orders")
    found = flow.reuse(number, audited=1.0)
    assert (found.decision, found.reason) == (
        "build",
        f"an audit has found that the result of flow@r{number} was wrong",
    )
    assert flow.reuse(number).reason == "the result is withdrawn"
    assert flow.reuse(1).decision == "reuse"

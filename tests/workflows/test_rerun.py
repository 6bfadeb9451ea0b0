"""A rerun of only the slices with changed records gives the result of a full execution."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import deltalake
import duckdb
import pytest

from helpers.flow import Flow, rows, write
from helpers.sampled import one_in
from provhouse.cli.app import run
from provhouse.model.errors import BadInput, NotFound
from provhouse.model.progress import Silent
from provhouse.workflows.executions import executions_of
from provhouse.workflows.rerun import Rerun, rerun

DDL = """
    create table t(id integer, s varchar, a integer, b integer, d date, v double);
    create table u(a integer, name varchar);"""
TABLES = {
    "t": "select i::integer id, case when i % 6 = 0 then null else chr((97 + i % 9)::integer) end "
    "s, nullif(i % 7, 3)::integer a, (i % 5)::integer b, date '2020-01-01' + (i % 40)::integer d, "
    "case i % 4 when 0 then 0.0 when 1 then -0.0 when 2 then 'nan'::double end v "
    "from range(400) x(i)",
    "u": "select nullif(i % 5, 4)::integer a, 'n' || i % 4 as name from range(20) x(i)",
}
DIVIDED = {
    "groups": "select s, d, count(*) as n, sum(b)::bigint as total from t group by s, d",
    "an unread change": "select s, min(id) as least from t group by s",
    "HAVING": "select s, count(*) as n from t where a > 1 group by s having count(*) > 8",
    "DISTINCT": "select distinct b + 1 as c, s from t",
    "a join": "select t.s, u.name, count(*) as n from t join u on t.a = u.a group by all",
    "a join to the left": "select name, d, s, max(b) as m from u join t using (a) group by all",
    "an outer join": "select d, name, max(id) as m from t left join u on t.a = u.a group by all",
    "IN": "select id, d from t where a in (select a from u where name <> 'n1')",
    "NOT IN": "select id, s from t where b not in (select a from u where a is not null)",
    "a scalar subquery": "select d, count(*) n from t where b < (select max(a) from u) group by d",
    "rows": "select id, s, a + b as c from t where b > 1",
    "rows with doubles": "select v, s, b from t where id > 3",
    "a window": "select id, d, sum(b) over (partition by d order by id) as w from t where s > 'b'",
    "groups of groups": "select s, max(n)::integer as n from (select s, d, count(*) n from t "
    "group by s, d) group by s",
    "a join of groups": "select g.d, g.n, u.name from (select d, count(*) as n from t group by d) "
    "g join u on g.n = u.a + 7",
    "a right join": "select t.id, t.s, u.name from u right join t on t.a = u.a and u.name = 'n1'",
}
NOT_DIVIDED = {
    "one group": ("select count(*) as n from t", "no column of t"),
    "an order": ("select id, s from t order by id, s", "the order"),
    "a limit": (
        "select s, count(*) n from (select s, a from t order by all limit 9) group by s", "a limit"
    ),
    "read twice": ("select x.s from t x join t y on x.id = y.a", "reads t 2 times"),
    "grouping sets": ("select s, b, count(*) n from t group by rollup (s, b)", "grouping sets"),
    "a computed key": ("select b + 1 as c, count(*) n from t group by b + 1", "no column of t"),
    "a window over all": ("select id, max(b) over () as m from t", "no column of t"),
    "other partitions": ("select id, sum(b) over (partition by s) x, max(b) over (partition by d) "
                         "y from t", "no column of t"),
    "the other side": ("select name, s from u left join t on t.a = u.a", "a LEFT join"),
    "a union": ("select s from t union all select name from u", "a union"),
    "EXISTS": ("select name from u where exists (select 1 from t where t.a = u.a)", "a MARK join"),
    "a sum of doubles": ("select s, sum(v) as v from t group by s", "inexact"),
}  # fmt: skip
CHANGED = """
    select * replace (case when id in (7, 8) then null when id = 9 then 'z' else s end as s,
        case when id % 97 = 5 then 11 else b end as b) from ({}) where id not in (20, 21)
    union all select 900, null, 2, 4, null, 1.5
    union all select 901, 'new', null, 1, date '2021-01-01', null"""


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """A workflow, and another state of its table in a separate file."""
    made = Flow(tmp_path_factory.mktemp("flow"), DDL)
    for name, query in TABLES.items():
        made.table(name, query)
    write(CHANGED.format(TABLES["t"]), made.folder / "later.parquet")
    return made


def tables_of(text: str) -> list[str]:
    """Return the tables that a query reads."""
    return [name for name in TABLES if f" {name} " in re.sub("[^a-z]", " ", f"{text} ")]


def again(flow: Flow, number: int, **inputs: str) -> Rerun:
    """Rerun a revision on other states of the inputs in ``inputs``."""
    path = flow.folder / "again.parquet"
    return rerun(f"flow@r{number}", "result", path, inputs, flow.settings, Silent())


@pytest.mark.parametrize("case", one_in(6, DIVIDED))
def test_a_rerun_has_the_digest_of_a_whole_execution(flow: Flow, case: str) -> None:
    text = DIVIDED[case]
    tables = tables_of(text)
    number = flow.add(text)
    flow.execute(number, text, *tables)
    inputs = {name: str(flow.folder / f"{name}.parquet") for name in tables}
    inputs["t"] = str(flow.folder / "later.parquet")
    found = again(flow, number, **inputs)
    con = flow.prepared(*tables)
    con.execute("delete from t")
    con.execute(f"insert into t by name from '{inputs['t']}'")
    whole = flow.folder / "whole.parquet"
    write(text, whole, con)
    assert rows(found.path) == rows(whole)
    stored = flow.store_with({"result": whole}, number, inputs)
    assert (found.result,) == stored.results
    assert found.kept + found.computed == len(rows(whole))
    assert found.kept > 0
    assert flow.reuse(number, inputs=inputs).path.endswith(f"{found.result}.parquet")


@pytest.mark.parametrize("case", one_in(6, NOT_DIVIDED))
def test_a_query_that_is_not_divided_is_refused(flow: Flow, case: str) -> None:
    text, reason = NOT_DIVIDED[case]
    number = flow.add(text)
    flow.execute(number, text, *tables_of(text))
    inputs = {name: str(flow.folder / f"{name}.parquet") for name in tables_of(text)}
    with pytest.raises(BadInput) as error:
        again(flow, number, **{**inputs, "t": str(flow.folder / "later.parquet")})
    assert reason in error.value.found


@pytest.mark.long
def test_only_slices_of_changed_files_are_computed(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    days = flow.folder / "days"
    days.mkdir()
    for day in range(8):
        write(f"from ({TABLES['t']}) where d = date '2020-01-01' + {day}", days / f"{day}.parquet")
    text = DIVIDED["groups"]
    con = flow.prepared()
    con.execute(f"insert into t by name from '{days}/*.parquet'")
    number, path = flow.add(text), tmp_path / "out.parquet"
    write(text, path, con)
    flow.store_with({"result": path}, number, {"t": str(days)})
    later = tmp_path / "later"
    later.mkdir()
    for file in days.iterdir():
        (later / file.name).write_bytes(file.read_bytes())
    write(f"select * replace (b + 1 as b) from '{days}/3.parquet'", later / "3.parquet")
    found = again(flow, number, t=str(later))
    assert (found.table, {*found.divided_by}) == ("t", {"s", "d"})
    assert found.slices == found.computed == len(
        duckdb.execute(f"select distinct s, d from '{days}/3.parquet'").fetchall()
    )  # fmt: skip


@pytest.mark.long
def test_versions_of_a_delta_table(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    place = str(tmp_path / "lake")
    first: Any = duckdb.sql(TABLES["t"])
    deltalake.write_deltalake(place, first.to_arrow_table())
    flow.table("t", TABLES["t"])
    text = DIVIDED["groups"]
    number, path = flow.add(text), tmp_path / "out.parquet"
    write(text, path, flow.prepared("t"))
    flow.store_with({"result": path}, number, {"t": f"{place}@0"})
    row: Any = duckdb.sql(
        "select 1000::integer id, 'b' s, 1::integer a, 3::integer b, date '2020-01-02' d, "
        "null::double v"
    )
    deltalake.write_deltalake(place, row.to_arrow_table(), mode="append")
    found = again(flow, number, t=f"{place}@1")
    assert (found.slices, found.computed) == (1, 1)
    con = flow.prepared("t")
    con.register("added", row.to_arrow_table())
    con.execute("insert into t from added")
    write(text, path, con)
    assert rows(found.path) == rows(path)


@pytest.mark.parametrize("states", [{"t": "t", "u": "u"}, {"t": "later", "u": "later"}])
def test_exactly_one_input_has_another_state(flow: Flow, states: Mapping[str, str]) -> None:
    text = DIVIDED["a join"].replace("t.s, ", "t.s as s, ")
    number = flow.add(text)
    flow.execute(number, text, *TABLES)
    given = {name: str(flow.folder / f"{file}.parquet") for name, file in states.items()}
    with pytest.raises(NotFound):
        again(flow, number, **given)


@pytest.mark.long
def test_the_earlier_state_must_exist(tmp_path: Path) -> None:
    flow = Flow(tmp_path, DDL)
    for name, query in TABLES.items():
        flow.table(name, query)
    text = DIVIDED["groups"]
    number = flow.add(text)
    flow.execute(number, text, "t")
    flow.table("t", CHANGED.format(TABLES["t"]))
    with pytest.raises(BadInput, match="cannot be read"):
        again(flow, number, t=str(tmp_path / "t.parquet"))


def test_the_command_stores_the_execution(flow: Flow, capsys: pytest.CaptureFixture[str]) -> None:
    text = DIVIDED["HAVING"]
    number = flow.add(text)
    flow.execute(number, text, "t")
    out, later = flow.folder / "command.parquet", flow.folder / "later.parquet"
    command = ["--warehouse", str(flow.settings.warehouse), "revisions", "rerun"]
    assert run([*command, f"flow@r{number}", str(out), "--inputs", f"t={later}"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kept"] + found["computed"] == len(rows(out))
    assert flow.reuse(number, inputs={"t": str(later)}).execution == found["execution"]
    *_, earlier, stored = executions_of(flow.layout)
    assert stored.reused_from == found["of"] == earlier.execution
    assert "" < stored.started <= stored.ended
    assert run([*command, f"flow@r{number}"]) == 2

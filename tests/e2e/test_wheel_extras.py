"""The extras of a built wheel, added to fresh virtual environments as the pages type it."""

import os
import subprocess
from pathlib import Path

import pytest

from helpers.installed import ROOT, WITH_JAVA, Environment, run, with_extra
from helpers.pages import blocks
from helpers.warehouse import House
from provhouse.serve import server_file

FIRST = ROOT / "examples" / "first" / "orders.csv"
KEYS = """
import duckdb, numpy as np, sys
from provhouse import interactive
from provhouse.model.compiled import HAS_COMPILER

con = interactive.connect()
values = "select i as id, i % 97 as k, i * 31 % 1009 as v from range(300000) t(i)"
con.duckdb.execute("create table t as " + values)
query = "select k, sum(v) s, min(v) a, max(v) b from t group by k order by k"
result = con.sql(query, lineage=True, mode="compiled")
rows = result.backward("t", rows=[3, 96]).to_arrow()
print(HAS_COMPILER, result.to_arrow().to_pydict(), len(rows), rows["id"].to_pylist()[:9])
"""
AGENT = """
import anyio, sys
from mcp import Client, StdioServerParameters

async def ask():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server) as client:
        print((await client.call_tool("lineage", {"item": "invoices/9"})).content[0].text)

anyio.run(ask)
"""
pytestmark = pytest.mark.long


def test_numba_changes_no_answer(environment: Environment, base: Path, tmp_path: Path) -> None:
    """pip adds the extra to an installed provhouse, as the error about a missing extra states."""
    fast = with_extra(environment, "fast")
    plain = run(base / "python", "-W", "error", "-c", KEYS, folder=tmp_path)
    assert plain.startswith("False ")
    compiled = run(fast / "python", "-W", "error", "-c", KEYS, folder=tmp_path)
    assert compiled == plain.replace("False", "True", 1)


def test_the_extra_for_proofs(environment: Environment, tmp_path: Path) -> None:
    provhouse = with_extra(environment, "prove") / "provhouse"
    tables = "create table o(id integer primary key, a integer not null)"
    (tmp_path / "schema.sql").write_text(tables)
    (tmp_path / "old.sql").write_text("select a from o where a > 1 or a > 2")
    (tmp_path / "new.sql").write_text("select a from o where a > 1")
    compared = [provhouse, "compare", "old.sql", "new.sql", "--schema", "schema.sql"]
    assert '"verdict":"equal"' in run(*compared, "--format", "json", folder=tmp_path)


def test_the_extra_for_dbt(environment: Environment, base: Path, tmp_path: Path) -> None:
    """The commands of a docs page build, test and blame its project in an inactive environment."""
    _, made, failed, *_ = blocks("dbt-lineage.md", "sh")
    script = (made + failed).replace("provhouse lineage", "echo")  # the base has no warehouse
    build = [str(base / "provhouse"), "dbt", "build"]
    asked = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert asked.returncode == 5
    assert "Run `pip install 'provhouse[dbt]'`" in asked.stderr
    dbt = with_extra(environment, "dbt")
    path = {**os.environ, "PATH": f"{dbt}:/usr/bin:/bin", "JAVA_HOME": "/nowhere"}
    done = subprocess.run(
        ["sh", "-c", script], cwd=tmp_path, env=path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The lineage waits in" in done.stderr
    assert "customers/ann@" in done.stdout
    assert "stg_orders" in done.stdout


def test_a_dbt_project_in_two_commands_and_a_picture_in_the_third(
    environment: Environment, tmp_path: Path
) -> None:
    made = blocks("dbt-lineage.md", "sh")[1]
    assert made.splitlines()[-3:] == [
        "provhouse dbt build",
        "provhouse lineage customers/ann",
        "provhouse lineage customers/ann --out ann.svg",
    ]
    path = f"{with_extra(environment, 'spark,dbt', 'locks/run.lock')}:/usr/bin:/bin"
    try:
        shown = run("sh", "-ec", made, folder=tmp_path, **WITH_JAVA, PATH=path)
    finally:
        run("sh", "-c", "provhouse down", folder=tmp_path, **WITH_JAVA, PATH=path)
    assert "stg_orders/3@1" in shown
    picture = (tmp_path / "ann.svg").read_text(encoding="utf-8")
    assert "<svg" in picture
    assert "stg_orders" in picture


def test_the_extra_for_polars(environment: Environment, tmp_path: Path) -> None:
    """The block of the page on data frames that uses polars runs as typed."""
    python = with_extra(environment, "polars") / "python"
    (tmp_path / "orders.csv").write_text("id,customer,amount\n17,x,5\n18,y,3\n19,x,9\n")
    (block,) = (each for each in blocks("pandas.md", "python") if "provhouse import polars" in each)
    shown = block.strip().replace("totals.backward", "\nprint(totals.backward") + ")"
    assert run(python, "-W", "error", "-c", shown, folder=tmp_path).count("17") == 1


def test_the_extra_for_agents(served: House, environment: Environment, tmp_path: Path) -> None:
    """A client of the SDK starts ``provhouse mcp`` with the arguments of the page on agents."""
    found = with_extra(environment, "mcp")
    server = server_file.running(served.settings.warehouse)
    assert server
    (tmp_path / "agent.token").write_text(server_file.token(served.settings.warehouse))
    token = ("--set", f"token_file={tmp_path / 'agent.token'}")
    asking = (found / "provhouse", "--server", server.address, *token, "mcp")
    shown = run(found / "python", "-W", "error", "-c", AGENT, *asking, folder=tmp_path)
    assert "orders/17" in shown


def test_the_extra_for_exploring(environment: Environment, tmp_path: Path) -> None:
    """The script that the page on Neo4j names reads the sets of a warehouse with py2neo."""
    found = with_extra(environment, "spark,explore,pandas", "locks/run.lock")
    provhouse = found / "provhouse"
    try:
        run(provhouse, "ingest", FIRST, folder=tmp_path, **WITH_JAVA)
        script = ROOT / "examples" / "explore" / "sets.py"
        shown = run(found / "python", script, "warehouse", folder=tmp_path, **WITH_JAVA)
    finally:
        run(provhouse, "down", folder=tmp_path, **WITH_JAVA)
    assert "invoices" in shown


def test_the_extra_for_the_demo(environment: Environment, tmp_path: Path) -> None:
    """The pipeline of the demo reads the flights of two days, as the demo starts it."""
    found = with_extra(environment, "demo", "locks/run.lock")
    pipeline = [found / "python", ROOT / "examples" / "flights" / "pipeline.py", "--out", "data"]
    days = ["--warehouse", "warehouse", "--first", "2013-02-11", "--last", "2013-02-12"]
    try:
        run(*pipeline, *days, folder=tmp_path, **WITH_JAVA)
        asked = [found / "provhouse", "find", "report/", "--limit", "3"]
        assert "report/" in run(*asked, folder=tmp_path, **WITH_JAVA)
    finally:
        run(found / "provhouse", "down", folder=tmp_path, **WITH_JAVA)


def test_the_extra_for_warehouses(environment: Environment, tmp_path: Path) -> None:
    """A team's server needs the same packages: locks/run.lock is the lock of the extra team."""
    provhouse = environment("locks/run.lock") / "provhouse"
    run(provhouse, "ingest", FIRST, folder=tmp_path, **WITH_JAVA)
    lineage = [provhouse, "lineage", "invoices/9", "--format", "csv"]
    assert "orders/17,orders,1" in run(*lineage, folder=tmp_path, **WITH_JAVA)

"""A built wheel, installed into fresh virtual environments with locked packages.

Every environment is made from a release of the last commit, as ``make release`` writes it. uv finds
the Pythons that are installed on this machine; missing versions are skipped.
"""

import hashlib
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from zipfile import ZipFile

import pytest
from release import release

from helpers.pages import blocks
from helpers.plain_jobs import BLOCK, write_orders
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.serve import server_file
from provhouse.serve import server_process as process

ROOT = Path(__file__).parents[2]
UV = ROOT / ".venv" / "bin" / "uv"
MOST_BYTES = 450e6
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FIRST = ROOT / "examples" / "first" / "orders.csv"
SQL = """
from provhouse import interactive

con = interactive.connect()
con.duckdb.execute("create table flights as select i as id, i % 3 as carrier from range(12) t(i)")
query = "select carrier, count(*) as n from flights group by carrier order by carrier"
result = con.sql(query, lineage=True)
print(result.backward("flights", rows=[1]).to_arrow()["id"].to_pylist())
"""
FRAME = SQL.replace('.to_arrow()["id"].to_pylist()', ".to_pandas().id.tolist()")
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
REMOTE = """
import sys, provhouse
with provhouse.connect(sys.argv[1], sys.argv[2]) as server:
    print([item.item for item in server.lineage("invoices/9").items])
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
_JAVA = {"JAVA_HOME": os.environ.get("JAVA_HOME", ""), "PROVHOUSE_SPARK_MEMORY": "1g"}
"""The environment variables of commands that need a warehouse."""
Environment = Callable[..., Path]
"""A function that makes a virtual environment, and returns its folder ``bin``."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release."""
    target = tmp_path_factory.mktemp("release") / "dist"
    release(target)
    return target


@pytest.fixture(scope="module")
def environment(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """A function that installs a lock, the wheel and other packages for a version of Python."""
    wheels = _wheels(dist)

    def made(lock: str, *others: str, python: str = sys.executable) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        _uv("venv", "--quiet", "--seed", "--python", python, folder)
        install = ("pip", "install", "--quiet", "--system-certs", "--python", folder)
        if "pyspark" in (ROOT / lock).read_text(encoding="utf-8"):  # built from source
            _uv(*install, "--require-hashes", "-r", ROOT / "locks/build.lock")
        hashed = ("--require-hashes", "--no-build-isolation", "-r", ROOT / lock)
        _uv(*install, "--no-deps", *hashed)
        _uv(*install, "--no-deps", *wheels)
        if others:
            _uv(*install, *others)
        return folder / "bin"

    return made


def _with_extra(environment: Environment, extra: str, lock: str = "locks/base.lock") -> Path:
    """Make an environment, add an extra as the pages type it, and return the folder ``bin``."""
    found = environment(lock)
    pip = [found / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _run(*pip, f"provhouse[{extra}]", folder=found)
    return found


@pytest.fixture(scope="module")
def base(environment: Environment) -> Path:
    """An environment with the base only."""
    return environment("locks/base.lock")


def _uv(*arguments: object) -> None:
    subprocess.run([UV, *map(str, arguments)], check=True)


def _run(*command: object, folder: Path, **given: str) -> str:
    """Run a command without Java, and return what it prints. It must print no warning."""
    environment = {**os.environ, "JAVA_HOME": "/nowhere", **given}
    arguments = list(map(str, command))
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    return done.stdout


def _python(version: str) -> str:
    found = which(f"python{version}")
    if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0:
        return found
    pytest.skip(f"this machine has no Python {version}")


def test_a_release_has_all_files_and_their_checksums(dist: Path) -> None:
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    summed = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert {Path(name).suffix for name in summed} == {".whl", ".gz", ".jar", ".json"}
    for name, digest in summed.items():
        assert hashlib.sha256((dist / name).read_bytes()).hexdigest() == digest
    assert {file.name for file in dist.iterdir()} == {*summed, "SHA256SUMS"}


def test_the_source_distribution_builds_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    """A wheel from the source distribution is whole: it has the files of both wheels."""
    (source,) = dist.glob("*.tar.gz")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", tmp_path, source], check=True)
    (whole,) = tmp_path.glob("*.whl")
    capture, rest = map(_names, _wheels(dist))
    assert capture.isdisjoint(rest)
    assert capture | rest == _names(whole)


def _wheels(dist: Path) -> list[Path]:
    """Return the wheels of a release: provhouse-capture first."""
    return sorted(dist.glob("*.whl"), key=lambda wheel: "capture" not in wheel.name)


def _names(wheel: Path) -> set[str]:
    """Return the names of the files in a wheel, except those about the wheel itself."""
    with ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if ".dist-info/" not in name}


@pytest.mark.parametrize("first", [0, 1])
def test_both_wheels_can_be_installed_in_any_order(first: int, dist: Path, tmp_path: Path) -> None:
    """pip itself chooses provhouse-capture as a requirement of provhouse."""
    wheels = _wheels(dist)
    folder = tmp_path / "environment"
    _uv("venv", "--quiet", "--seed", "--python", sys.executable, folder)
    install = ("pip", "install", "--quiet", "--system-certs", "--python", folder)
    _uv(*install, "--no-deps", "--require-hashes", "-r", ROOT / "locks/base.lock")
    _uv(*install, "--find-links", dist, wheels[first])
    _uv(*install, "--find-links", dist, wheels[1 - first])
    python = folder / "bin" / "python"
    assert _run(python, "-W", "error", "-c", SQL, folder=tmp_path) == "[1, 4, 7, 10]\n"
    _uv("pip", "check", "--quiet", "--python", folder)
    _uv("pip", "uninstall", "--quiet", "--python", folder, "provhouse")
    left = "import provhouse; provhouse.capture"
    assert _run(python, "-W", "error", "-c", left, folder=tmp_path) == ""


def test_the_wheel_of_capture_needs_no_other_package(dist: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    _uv("venv", "--quiet", "--python", sys.executable, folder)
    _uv("pip", "install", "--quiet", "--no-index", "--python", folder, _wheels(dist)[0])
    python = folder / "bin" / "python"
    refused = "import provhouse\ntry: provhouse.open\nexcept provhouse.Unavailable as e: print(e)"
    assert "pip install 'provhouse[spark]'" in _run(python, "-c", refused, folder=tmp_path)
    (packages,) = folder.glob("lib/python3*/site-packages")
    assert {each.name for each in packages.iterdir() if each.name.startswith("prov")} == {
        "provhouse", f"{_wheels(dist)[0].name.partition('-py3-')[0]}.dist-info",
    }  # fmt: skip


def test_a_job_with_pyspark_and_the_wheel_of_capture(
    dist: Path, houses: Callable[..., House], tmp_path: Path
) -> None:
    """A warehouse elsewhere then ingests what the job has left at an address."""
    folder, landing = tmp_path / "environment", tmp_path / "landing"
    _uv("venv", "--quiet", "--python", sys.executable, folder)
    install = ("pip", "install", "--quiet", "--system-certs", "--python", folder)
    _uv(*install, "--require-hashes", "-r", ROOT / "locks/spark-3.5.lock")
    _uv(*install, "--no-index", _wheels(dist)[0])
    (tmp_path / "job.py").write_text(BLOCK)
    job = [tmp_path / "job.py", write_orders(tmp_path), tmp_path / "totals", landing]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SPARK_LOCAL_IP": "127.0.0.1"}
    subprocess.run([folder / "bin" / "python", *job], cwd=tmp_path, env=environment, check=True)
    with houses().open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert [(write.table, write.rows) for write in landed.writes] == [("totals", 2)]
        found = {each.item for each in warehouse.lineage("totals/ann").items}
        assert found == {"orders/1", "orders/3"}


def test_the_base_is_small(base: Path) -> None:
    (packages,) = base.parent.glob("lib/python3*/site-packages")
    files = [file for file in packages.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files if "__pycache__" not in file.parts)
    print(f"\nThe base: {size / 1e6:.1f} MB with pip")
    assert size < MOST_BYTES
    assert not {"tests", "benchmarks", "tools"} & {file.name for file in packages.iterdir()}


@pytest.mark.parametrize("version", PYTHONS)
def test_lineage_on_duckdb_in_the_base(
    version: str, environment: Environment, tmp_path: Path
) -> None:
    python = environment("locks/base.lock", python=_python(version)) / "python"
    assert _run(python, "-W", "error", "-c", SQL, folder=tmp_path) == "[1, 4, 7, 10]\n"
    assert "crossfilter" in _run(python.with_name("provhouse"), "--help", folder=tmp_path)


@pytest.mark.parametrize("pandas", ["pandas<3", "pandas>=3"])
def test_both_versions_of_pandas(pandas: str, environment: Environment, tmp_path: Path) -> None:
    """The first program of the page on data frames runs as typed, too."""
    python = environment("locks/base.lock", pandas) / "python"
    assert _run(python, "-W", "error", "-c", FRAME, folder=tmp_path) == "[1, 4, 7, 10]\n"
    (tmp_path / "orders.csv").write_text("id,customer,amount\n17,x,5\n18,y,3\n19,x,9\n")
    (tmp_path / "customers.csv").write_text("customer,country\nx,DE\ny,FR\n")
    _run(python, "-W", "error", "-c", blocks("pandas.md", "python")[0], folder=tmp_path)
    assert '"orders/19","report/DE"' in (tmp_path / "trace.csv").read_text()


def test_numba_changes_no_answer(environment: Environment, base: Path, tmp_path: Path) -> None:
    """pip adds the extra to an installed provhouse, as the error about a missing extra states."""
    fast = _with_extra(environment, "fast")
    plain = _run(base / "python", "-W", "error", "-c", KEYS, folder=tmp_path)
    assert plain.startswith("False ")
    compiled = _run(fast / "python", "-W", "error", "-c", KEYS, folder=tmp_path)
    assert compiled == plain.replace("False", "True", 1)


def test_the_page_of_linked_views_in_the_base(base: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n" + "".join(f"{n},{n % 3}\n" for n in range(100)))
    command = [str(base / "provhouse"), "crossfilter", "a.csv", "--by", "a", "--by", "b"]
    environment = {**os.environ, "JAVA_HOME": "/nowhere"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as page:
        try:
            assert page.stdout
            found = re.match(r"Open (http://[\d.:]+)/#", page.stdout.readline())
            assert found
            with urllib.request.urlopen(f"{found[1]}/page.js") as reply:
                assert reply.status == 200
        finally:
            page.terminate()


@pytest.fixture
def served(houses: Callable[..., House]) -> Iterator[House]:
    """A warehouse whose server runs in the environment of the tests."""
    house = houses(spark_memory="1g")
    house.ingest_files(FIRST)
    process.up(house.settings, Silent(), wait=True)
    yield house
    process.down(house.settings.warehouse, Silent())


def test_the_base_asks_a_server(served: House, base: Path, tmp_path: Path) -> None:
    warehouse = served.settings.warehouse
    server, token = server_file.running(warehouse), server_file.token(warehouse)
    assert server
    python = _run(
        base / "python", "-W", "error", "-c", REMOTE, server.address, token, folder=tmp_path
    )
    assert python == "['orders/17', 'orders/18', 'prices/milk', 'prices/tea']\n"
    (tmp_path / "token").write_text(token)
    asking = [base / "provhouse", "--server", server.address, "--set", "token_file=token"]
    shown = _run(*asking, "lineage", "invoices/9", "--format", "csv", folder=tmp_path)
    assert "prices/milk,prices,2" in shown


def test_the_extra_for_proofs(environment: Environment, tmp_path: Path) -> None:
    provhouse = _with_extra(environment, "prove") / "provhouse"
    tables = "create table o(id integer primary key, a integer not null)"
    (tmp_path / "schema.sql").write_text(tables)
    (tmp_path / "old.sql").write_text("select a from o where a > 1 or a > 2")
    (tmp_path / "new.sql").write_text("select a from o where a > 1")
    compared = [provhouse, "compare", "old.sql", "new.sql", "--schema", "schema.sql"]
    assert '"verdict":"equal"' in _run(*compared, "--format", "json", folder=tmp_path)


def test_the_extra_for_dbt(environment: Environment, base: Path, tmp_path: Path) -> None:
    """The commands of a docs page build, test and blame its project in an inactive environment."""
    _, made, failed, *_ = blocks("dbt-lineage.md", "sh")
    script = (made + failed).replace("provhouse lineage", "echo")  # the base has no warehouse
    build = [str(base / "provhouse"), "dbt", "build"]
    asked = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert asked.returncode == 5
    assert "Run `pip install 'provhouse[dbt]'`" in asked.stderr
    dbt = _with_extra(environment, "dbt")
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
    path = f"{_with_extra(environment, 'spark,dbt', 'locks/run.lock')}:/usr/bin:/bin"
    try:
        shown = _run("sh", "-ec", made, folder=tmp_path, **_JAVA, PATH=path)
    finally:
        _run("sh", "-c", "provhouse down", folder=tmp_path, **_JAVA, PATH=path)
    assert "stg_orders/3@1" in shown
    picture = (tmp_path / "ann.svg").read_text(encoding="utf-8")
    assert "<svg" in picture
    assert "stg_orders" in picture


def test_the_extra_for_polars(environment: Environment, tmp_path: Path) -> None:
    """The block of the page on data frames that uses polars runs as typed."""
    python = _with_extra(environment, "polars") / "python"
    (tmp_path / "orders.csv").write_text("id,customer,amount\n17,x,5\n18,y,3\n19,x,9\n")
    (block,) = (each for each in blocks("pandas.md", "python") if "provhouse import polars" in each)
    shown = block.strip().replace("totals.backward", "\nprint(totals.backward") + ")"
    assert _run(python, "-W", "error", "-c", shown, folder=tmp_path).count("17") == 1


def test_the_extra_for_agents(served: House, environment: Environment, tmp_path: Path) -> None:
    """A client of the SDK starts ``provhouse mcp`` with the arguments of the page on agents."""
    found = _with_extra(environment, "mcp")
    server = server_file.running(served.settings.warehouse)
    assert server
    (tmp_path / "agent.token").write_text(server_file.token(served.settings.warehouse))
    token = ("--set", f"token_file={tmp_path / 'agent.token'}")
    asking = (found / "provhouse", "--server", server.address, *token, "mcp")
    shown = _run(found / "python", "-W", "error", "-c", AGENT, *asking, folder=tmp_path)
    assert "orders/17" in shown


def test_the_extra_for_exploring(environment: Environment, tmp_path: Path) -> None:
    """The script that the page on Neo4j names reads the sets of a warehouse with py2neo."""
    found = _with_extra(environment, "spark,explore,pandas", "locks/run.lock")
    provhouse = found / "provhouse"
    try:
        _run(provhouse, "ingest", FIRST, folder=tmp_path, **_JAVA)
        script = ROOT / "examples" / "explore" / "sets.py"
        shown = _run(found / "python", script, "warehouse", folder=tmp_path, **_JAVA)
    finally:
        _run(provhouse, "down", folder=tmp_path, **_JAVA)
    assert "invoices" in shown


def test_the_extra_for_the_demo(environment: Environment, tmp_path: Path) -> None:
    """The pipeline of the demo reads the flights of two days, as the demo starts it."""
    found = _with_extra(environment, "demo", "locks/run.lock")
    run = [found / "python", ROOT / "examples" / "flights" / "pipeline.py", "--out", "data"]
    days = ["--warehouse", "warehouse", "--first", "2013-02-11", "--last", "2013-02-12"]
    try:
        _run(*run, *days, folder=tmp_path, **_JAVA)
        asked = [found / "provhouse", "find", "report/", "--limit", "3"]
        assert "report/" in _run(*asked, folder=tmp_path, **_JAVA)
    finally:
        _run(found / "provhouse", "down", folder=tmp_path, **_JAVA)


def test_the_extra_for_warehouses(environment: Environment, tmp_path: Path) -> None:
    """A team's server needs the same packages: locks/run.lock is the lock of the extra team."""
    provhouse = environment("locks/run.lock") / "provhouse"
    _run(provhouse, "ingest", FIRST, folder=tmp_path, **_JAVA)
    lineage = [provhouse, "lineage", "invoices/9", "--format", "csv"]
    assert "orders/17,orders,1" in _run(*lineage, folder=tmp_path, **_JAVA)

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
from collections.abc import Callable
from pathlib import Path
from shutil import which
from zipfile import ZipFile

import pytest

from helpers.installed import PIP, ROOT, Environment, run, uv, wheels_of
from helpers.pages import blocks
from helpers.plain_jobs import BLOCK, write_orders
from helpers.warehouse import House
from provhouse.serve import server_file

MOST_BYTES = 450e6
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SQL = """
from provhouse import interactive

con = interactive.connect()
con.duckdb.execute("create table flights as select i as id, i % 3 as carrier from range(12) t(i)")
query = "select carrier, count(*) as n from flights group by carrier order by carrier"
result = con.sql(query, lineage=True)
print(result.backward("flights", rows=[1]).to_arrow()["id"].to_pylist())
"""
FRAME = SQL.replace('.to_arrow()["id"].to_pylist()', ".to_pandas().id.tolist()")
REMOTE = """
import sys, provhouse
with provhouse.connect(sys.argv[1], sys.argv[2]) as server:
    print([item.item for item in server.lineage("invoices/9").items])
"""
pytestmark = pytest.mark.long


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
    capture, rest = map(_names, wheels_of(dist))
    assert capture.isdisjoint(rest)
    assert capture | rest == _names(whole)


def _names(wheel: Path) -> set[str]:
    """Return the names of the files in a wheel, except those about the wheel itself."""
    with ZipFile(wheel) as opened:
        return {name for name in opened.namelist() if ".dist-info/" not in name}


@pytest.mark.parametrize("first", [0, 1])
def test_both_wheels_can_be_installed_in_any_order(first: int, dist: Path, tmp_path: Path) -> None:
    """pip itself chooses provhouse-capture as a requirement of provhouse."""
    wheels = wheels_of(dist)
    folder = tmp_path / "environment"
    uv("venv", "--quiet", "--seed", "--python", sys.executable, folder)
    install = (*PIP, folder)
    uv(*install, "--no-deps", "--require-hashes", "-r", ROOT / "locks/base.lock")
    uv(*install, "--find-links", dist, wheels[first])
    uv(*install, "--find-links", dist, wheels[1 - first])
    python = folder / "bin" / "python"
    assert run(python, "-W", "error", "-c", SQL, folder=tmp_path) == "[1, 4, 7, 10]\n"
    uv("pip", "check", "--quiet", "--python", folder)
    uv("pip", "uninstall", "--quiet", "--python", folder, "provhouse")
    left = "import provhouse; provhouse.capture"
    assert run(python, "-W", "error", "-c", left, folder=tmp_path) == ""


def test_the_wheel_of_capture_needs_no_other_package(dist: Path, tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    uv("venv", "--quiet", "--python", sys.executable, folder)
    uv("pip", "install", "--quiet", "--no-index", "--python", folder, wheels_of(dist)[0])
    python = folder / "bin" / "python"
    refused = "import provhouse\ntry: provhouse.open\nexcept provhouse.Unavailable as e: print(e)"
    assert "pip install 'provhouse[spark]'" in run(python, "-c", refused, folder=tmp_path)
    (packages,) = folder.glob("lib/python3*/site-packages")
    assert {each.name for each in packages.iterdir() if each.name.startswith("prov")} == {
        "provhouse", f"{wheels_of(dist)[0].name.partition('-py3-')[0]}.dist-info",
    }  # fmt: skip


def test_a_job_with_pyspark_and_the_wheel_of_capture(
    dist: Path, houses: Callable[..., House], tmp_path: Path
) -> None:
    """A warehouse elsewhere then ingests what the job has left at an address."""
    folder, landing = tmp_path / "environment", tmp_path / "landing"
    uv("venv", "--quiet", "--python", sys.executable, folder)
    install = (*PIP, folder)
    uv(*install, "--require-hashes", "-r", ROOT / "locks/spark-3.5.lock")
    uv(*install, "--no-index", wheels_of(dist)[0])
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
    assert run(python, "-W", "error", "-c", SQL, folder=tmp_path) == "[1, 4, 7, 10]\n"
    assert "crossfilter" in run(python.with_name("provhouse"), "--help", folder=tmp_path)


@pytest.mark.parametrize("pandas", ["pandas<3", "pandas>=3"])
def test_both_versions_of_pandas(pandas: str, environment: Environment, tmp_path: Path) -> None:
    """The first program of the page on data frames runs as typed, too."""
    python = environment("locks/base.lock", pandas) / "python"
    assert run(python, "-W", "error", "-c", FRAME, folder=tmp_path) == "[1, 4, 7, 10]\n"
    (tmp_path / "orders.csv").write_text("id,customer,amount\n17,x,5\n18,y,3\n19,x,9\n")
    (tmp_path / "customers.csv").write_text("customer,country\nx,DE\ny,FR\n")
    run(python, "-W", "error", "-c", blocks("pandas.md", "python")[0], folder=tmp_path)
    assert '"orders/19","report/DE"' in (tmp_path / "trace.csv").read_text()


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


def test_the_base_asks_a_server(served: House, base: Path, tmp_path: Path) -> None:
    warehouse = served.settings.warehouse
    server, token = server_file.running(warehouse), server_file.token(warehouse)
    assert server
    python = run(
        base / "python", "-W", "error", "-c", REMOTE, server.address, token, folder=tmp_path
    )
    assert python == "['orders/17', 'orders/18', 'prices/milk', 'prices/tea']\n"
    (tmp_path / "token").write_text(token)
    asking = [base / "provhouse", "--server", server.address, "--set", "token_file=token"]
    shown = run(*asking, "lineage", "invoices/9", "--format", "csv", folder=tmp_path)
    assert "prices/milk,prices,2" in shown

"""The base of provhouse works without the extras' packages, and errors name the missing extra.

These tests hide the packages from one process. ``tests/e2e/test_wheel.py`` installs wheels into
fresh environments.
"""

import re
import tomllib
from pathlib import Path

import pytest

from helpers import base_only
from provhouse.model.errors import Unavailable
from provhouse.model.extras import EXTRA_OF, missing, require

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
FOLDERS = PROJECT["tool"]["setuptools"]["package-dir"]
OF_AN_EXTRA = (
    "provhouse.capturing.", "provhouse.equivalence.proving.", "provhouse.runtime.spark.daemon",
    "provhouse.serve.agents", "provhouse.serve.answering", "provhouse.serve.http_app",
    "provhouse.serve.charts.served_pages", "provhouse.serve.http_page",
    "provhouse.serve.metrics", "provhouse.serve.page", "provhouse.serve.routes",
    "provhouse.serve.__main__",
    "provhouse.pandas", "provhouse.polars", "provhouse.tracking.pandas_frames",
    "provhouse.tracking.polars_frames",
)  # fmt: skip
"""Modules, or packages of modules, that only users of an extra import."""
IMPORTS = """
from importlib import import_module
for name in {names}:
    import_module(name)
"""
DUCKDB = """
from provhouse import interactive
con = interactive.connect()
con.duckdb.execute("create table flights as select i as id, i % 3 as carrier from range(12) t(i)")
query = "select carrier, count(*) as n from flights group by all order by all"
result = con.sql(query, lineage=True)
print(result.backward("flights", rows=[1]).to_arrow()["id"].to_pylist())
print(result.forward("flights", [5]).tolist())
"""
CHARTS = """
import numpy as np, pyarrow as pa
from provhouse.interactive.charts.linked_views import ChartViews
table = pa.table({"a": np.arange(1000) % 7, "b": np.arange(1000) % 5})
found = ChartViews(table, {"a": None, "b": None}, ["a"]).update({"a": [0]}, "a")
print(found.selected)
"""
COMMANDS = """
from provhouse.cli.app import run
for arguments in {commands}:
    print(run(arguments), flush=True)
"""
REFUSED = [
    ["ingest", "trace.csv"], ["lineage", "a"], ["check"], ["up"], ["run-spark", "job.py"],
    ["doctor", "--fetch"],
]  # fmt: skip


def _modules() -> list[str]:
    names = []
    for package, folder in FOLDERS.items():
        files = (ROOT / folder).glob("*.py") if folder == "api" else (ROOT / folder).rglob("*.py")
        for file in files:
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            names.append(".".join([package, *parts]).removesuffix(".__init__"))
    return sorted(name for name in names if not name.startswith(OF_AN_EXTRA))


@pytest.mark.long
def test_imports_need_only_the_base(tmp_path: Path) -> None:
    done = base_only.run(IMPORTS.format(names=_modules()), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_lineage_on_duckdb_needs_only_the_base(tmp_path: Path) -> None:
    done = base_only.run(DUCKDB, tmp_path)
    assert done.stdout.splitlines() == ["[1, 4, 7, 10]", "[2]"], done.stderr


def test_linked_views_need_only_the_base(tmp_path: Path) -> None:
    done = base_only.run(CHARTS, tmp_path)
    assert done.stdout == "143\n", done.stderr


def test_help_needs_only_the_base(tmp_path: Path) -> None:
    done = base_only.run(COMMANDS.format(commands=[["--help"]]), tmp_path)
    assert done.stdout.endswith("\n0\n"), done.stderr
    assert "crossfilter" in done.stdout


def test_a_command_names_the_extra_that_it_needs(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("src,dst\na,b\n")
    done = base_only.run(COMMANDS.format(commands=REFUSED), tmp_path)
    assert done.stdout.split() == ["5"] * len(REFUSED), done.stderr
    assert done.stderr.count("provhouse: This needs Spark\n") == len(REFUSED)
    assert done.stderr.count("Run `pip install 'provhouse[spark]'`") == len(REFUSED)
    assert [each.name for each in tmp_path.iterdir()] == ["trace.csv"]


PYTHON = """
import provhouse
try:
    {call}
except provhouse.Unavailable as error:
    print(error)
"""


@pytest.mark.long
def test_python_names_the_extra_that_it_needs(tmp_path: Path) -> None:
    calls = "provhouse.open('w')", "provhouse.capture(None, 'w').__enter__()"
    done = base_only.run("".join(PYTHON.format(call=call) for call in calls), tmp_path)
    assert done.stdout.count("This needs Spark") == 2, done.stderr
    assert done.stdout.count("pip install 'provhouse[spark]'") == 2
    assert list(tmp_path.iterdir()) == []


def test_a_loop_without_a_twin_names_the_extra_that_compiles_it(tmp_path: Path) -> None:
    call = "from provhouse.sets.depths import *; import provhouse.sets.depths as m; "
    call += "next(v for v in vars(m).values() if hasattr(v, '__wrapped__'))()"
    done = base_only.run(PYTHON.format(call=call), tmp_path)
    assert "pip install 'provhouse[fast]'" in done.stdout, done.stderr


def test_each_package_is_in_its_extra() -> None:
    names = {extra: {_name(each) for each in needed} for extra, needed in EXTRAS.items()}
    other = {"z3": "z3-solver", "py4j": "pyspark", "dbt": "dbt-core"}  # pyspark brings py4j
    for package, extra in EXTRA_OF.items():
        assert other.get(package, package.replace("_", "-")) in names[extra]


def test_the_base_has_no_package_of_an_extra() -> None:
    lock = (ROOT / "locks/base.lock").read_text(encoding="utf-8")
    locked = set(re.findall(r"^([a-z0-9.-]+)==", lock, re.MULTILINE))
    assert {_name(each) for each in PROJECT["project"]["dependencies"]} <= locked
    assert locked.isdisjoint({*base_only.HIDDEN, "sqlglotc"})


def test_an_extra_of_an_installed_package_is_not_missing() -> None:
    require("spark")
    assert missing("nothing").remedy == "Run `pip install nothing`"
    assert isinstance(missing("z3"), Unavailable)
    assert str(missing("neo4j_viz")).startswith("This needs neo4j_viz\n")


def _name(requirement: str) -> str:
    return re.split(r"[<>=~]", requirement)[0].removesuffix("[c]")

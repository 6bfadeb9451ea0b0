"""Models whose lineage cannot be followed are refused by name, and all others have lineage."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from helpers.dbt_runs import DbtProject, install_dbt, refused
from provhouse.interactive.dbt.child_process import check_adapter, run_dbt
from provhouse.interactive.dbt.kept_tables import FILE, KeptTables
from provhouse.model.errors import Busy, Unavailable, UsageError

SOURCES = "sources: [{name: main, schema: main, tables: [{name: t}]}]\n"
FILES = {
    "models/sources.yml": SOURCES,
    "models/a.sql": "select x, now() as loaded from {{ source('main', 't') }}",
    "models/b.sql": "{{ config(materialized='table') }} select x + 1 as y from {{ ref('a') }}",
    "models/c.sql": "{{ config(materialized='table', post_hook='update {{ this }} set x = 0') }}"
    "select x from {{ source('main', 't') }}",
    "models/d.sql": "{{ config(materialized='table') }} select x from {{ ref('c') }}",
    "models/e.py": "def model(dbt, session):\n    return dbt.source('main', 't')\n",
    "models/f.sql": "{{ config(materialized='external') }} select x from {{ source('main', 't') }}",
    "seeds/h.csv": "x\n1\n",
    "seeds/h.yml": "seeds: [{name: h, config: {post_hook: 'update {{ this }} set x = 2'}}]\n",
    "models/g.sql": "{{ config(materialized='table') }} from {{ ref('f') }}, {{ ref('e') }}",
}


@pytest.mark.parametrize("arguments", [("compile",), ("build", "--defer"), ("docs", "generate")])
def test_commands_that_build_nothing_are_refused(arguments: Sequence[str], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        run_dbt(arguments, "dbt", tmp_path)


def test_a_missing_dbt_and_another_program_are_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"There is no program no-dbt\n.*\n.*'provhouse\[dbt\]'"):
        run_dbt(["build"], "no-dbt", tmp_path)
    other = tmp_path / "dbt"
    other.write_bytes(b"\x7fELF")
    other.chmod(0o755)
    with pytest.raises(Unavailable, match="is not dbt Core"):
        run_dbt(["build"], str(other), tmp_path)


@pytest.mark.parametrize(
    "lines",
    [
        "#!{python}",
        "#!/usr/bin/env {name}",
        "#!/bin/sh\n'''exec' \"{python}\" \"$0\" \"$@\"\n' '''",
    ],
)
def test_the_python_of_dbt_is_read_from_its_script(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "bin/python3"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    python.chmod(0o755)
    monkeypatch.setenv("PATH", str(python.parent), prepend=":")
    script = tmp_path / "dbt"
    script.write_text(lines.format(python=python, name="python3") + "\n", encoding="utf-8")
    script.chmod(0o755)
    assert run_dbt(["build"], str(script), tmp_path) == 7


@pytest.mark.parametrize("adapter", ["postgres", "snowflake", "bigquery", "databricks"])
def test_other_adapters_are_refused_with_what_reads_their_tables(adapter: str) -> None:
    with pytest.raises(UsageError, match=f"dbt-{adapter}") as error:
        check_adapter(adapter)
    assert re.findall("`(provhouse ingest .*?)`", error.value.remedy) == [
        "provhouse ingest target/manifest.json --input dbt",
        "provhouse ingest --openlineage",
    ]


def test_dbt_on_spark_is_refused_with_the_commands_that_capture_it() -> None:
    with pytest.raises(UsageError, match="dbt-spark") as error:
        check_adapter("spark")
    for named in ("PYSPARK_SUBMIT_ARGS", "run-spark --print-conf", "provhouse ingest --captured"):
        assert named in error.value.remedy


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    opening = f"con = duckdb.connect({str(tmp_path / FILE)!r})"
    locked = f"import duckdb; {opening}; print(1, flush=True); input()"
    command = [sys.executable, "-c", locked]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(Busy):
            KeptTables(tmp_path)
        other.communicate(b"\n")


@pytest.mark.long
def test_models_that_cannot_be_followed_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # dbt writes the file of an external model to the current folder
    install_dbt()
    project = DbtProject.write(tmp_path / "shop", FILES)
    project.sql("create table t as select range as x from range(3)")
    built = project.dbt("build")
    assert refused(built).keys() == {"a", "c", "e", "f", "h"}
    assert project.sources("a/0@1") == {"unknown/a@1"}
    assert project.sources("b/0@1") == {"a/0@1"}
    assert project.sources("c/0@1") == {"unknown/c@1"}
    assert project.sources("h/0@1") == {"unknown/h@1"}
    assert project.sources("d/1@1") == {"c/1@1"}
    assert len(project.sources("g/0@1")) == 2
    again = project.dbt("run", "--select", "b")  # its view is not built again
    assert again is not None
    assert (again.run, refused(again), again.changed) == (2, {}, ())
    assert project.sources("b/0@2") == {"a/0@2"}
    assert project.sources("a/0@2") == {"unknown/a@2"}

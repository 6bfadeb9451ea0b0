"""Commands and Python blocks of pages run as typed, and each block is in a test or named here.

In the blocks without a mark, `cat > FILE` makes a file, and the other lines are commands, which run
in the process of the tests.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from helpers.base_only import run as run_base
from helpers.pages import BLOCK, DOCS, blocks, enter, run_program, shell, typed
from helpers.pages import run as run_python
from provhouse.model.settings import Settings

TESTS = Path(__file__).parent
FIRST = TESTS.parent / "examples" / "first" / "orders.csv"
TESTED = {
    "agents.md": "serve/test_pages.py",
    "backup.md": "test_pages.py",
    "capture.md": "capturing/test_pages.py",
    "cluster.md": "runtime/spark/test_yarn.py",
    "compare.md": "test_pages.py",
    "containers.md": "serve/test_pages.py",
    "crossfilter.md": "interactive/test_pages.py",
    "dbt-lineage.md": "e2e/test_wheel_extras.py",
    "dbt.md": "workflows/dbt/test_pages.py",
    "derivations.md": "ingest/test_pages.py",
    "first-lineage.md": "test_readme.py",
    "formats.md": "ingest/test_pages.py",
    "installing.md": "test_pages.py",
    "interactive.md": "interactive/test_pages.py",
    "modules.md": "test_pages.py",
    "nightly.md": "examples/test_nightly.py",
    "openlineage.md": "ingest/test_pages.py",
    "page.md": "serve/test_pages.py",
    "pandas.md": "tracking/test_pages.py",
    "pictures.md": "e2e/test_pictures.py",
    "rdds.md": "capturing/test_pages.py",
    "revisions.md": "workflows/test_page.py",
    "server.md": "serve/test_pages.py",
    "spark-versions.md": "capturing/test_spark_versions_page.py",
    "team.md": "serve/test_pages.py",
    "trace.md": "tracking/test_pages.py",
    "tour.md": "test_pages.py",
    "tracing.md": "capturing/test_pages.py",
    "what-if.md": "test_pages.py",
}
"""The test that runs a page's blocks, apart from those in ``NOT_RUN``."""
DOCKER = "Docker is needed, and docker compose; tests/docker checks the files"
GENERATED = ("cli.md",)
"""Pages whose blocks are usages, not commands."""
NO_COMMANDS = ("style.md",)
"""Pages whose blocks are sentences."""
NOT_RUN = {
    ("agents.md", "pip install 'provhouse[mcp]'"): "no package registry has provhouse yet",
    ("cluster.md", "# warehouse.toml"): "a cluster; tests/runtime/spark/test_cluster.py has one",
    ("cluster.md", ".venv/lib/python3"): "a cluster; tests/runtime/spark/test_cluster.py has one",
    ("containers.md", "python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"): DOCKER,
    ("containers.md", "docker compose -f docker/compose.yaml exec"): DOCKER,
    ("containers.md", "NAMES=lineage.example.com docker compose"): DOCKER,
    ("containers.md", "python3 -c 'import secrets; print(secrets.token_urlsafe(24))'"): DOCKER,
    ("containers.md", "docker compose -f docker/compose.yaml -f docker/compose.cl"): DOCKER,
    ("containers.md", "kubectl create secret"): "a Kubernetes cluster is needed",
    ("crossfilter.md", "provhouse crossfilter flights.parquet"): (
        "it serves until it is stopped; tests/e2e/test_wheel.py starts it"
    ),
    ("crossfilter.md", "provhouse ingest selection-1.parquet"): (
        "a person writes the file in the page; tests/serve/charts write it by its route"
    ),
    ("dbt.md", "dbt build"): "minutes; tests/workflows/dbt/test_real_dbt.py runs both commands",
    ("dbt.md", "provhouse reuse --dbt"): "a part of the step of GitHub, which is in a test",
    ("dbt.md", "provhouse revisions add"): (
        "tests/workflows/dbt/test_model_sinks.py calls the same functions"
    ),
    ("installing.md", "make setup\nmake release"): "minutes; tests/e2e/test_wheel.py does the same",
    ("installing.md", "OTHER/bin/pip install --require-hashes"): (
        "minutes; tests/e2e/test_wheel.py installs these locks"
    ),
    ("interactive.md", ".venv/bin/python examples/flights/clicks.py"): (
        "the demo's data is needed; tests/examples/test_clicks.py runs the file"
    ),
    ("neo4j.md", " (:"): "patterns of the graph; tests/cypher compare them with what is loaded",
    ("neo4j.md", "# warehouse.toml"): "another Neo4j; tests/cypher/test_external.py has one",
    ("neo4j.md", "GRANT"): "Neo4j Community has no roles",
    ("settings.md", "# warehouse.toml"): "tests/cli/test_reference.py generates the page",
    ("storage.md", "export AWS_ACCESS_KEY_ID"): (
        "a bucket is needed; tests/e2e/test_remote.py runs the commands with a server of S3"
    ),
    ("team.md", "useradd"): "root and systemd are needed; tests/test_systemd.py checks the units",
    ("trace.md", "provhouse ingest clean.parquet"): "the README ingests a trace in the same way",
    ("tracing.md", "provhouse blame"): "minutes; tests/api/test_blames.py makes the same calls",
    ("tracing.md", "def totals(tables)"): "the program of the block before it",
    ("tour.md", "make tour"): "minutes; tests/examples/test_tour.py runs it on three days",
}
"""Blocks, by their first characters, that no test runs as typed, each with the reason."""
QUERIES = {
    "tables.sql": "create table sales(id int, price int);",
    "old.sql": "select id from sales where price > 1 and id > 2",
    "new.sql": "select s.id from sales s where s.id > 2 and s.price > 1",
}
COMMAND = """
from provhouse.cli.app import run
run(["ingest", "trace.csv"])
"""


def test_each_block_is_in_a_test_or_has_a_reason() -> None:
    used = set()
    for file in sorted(DOCS.glob("*.md")):
        reasons = {start for page, start in NOT_RUN if page == file.name}
        for mark, text in BLOCK.findall(file.read_text(encoding="utf-8")):
            if mark == "mermaid" or file.name in (*GENERATED, *NO_COMMANDS):
                continue
            found = {start for start in reasons if text.startswith(start)}
            used |= {(file.name, start) for start in found}
            assert found or file.name in TESTED, (file.name, text)
    assert used == NOT_RUN.keys()


@pytest.mark.parametrize("page", TESTED)
def test_the_test_of_a_page_names_it(page: str) -> None:
    assert page in (TESTS / TESTED[page]).read_text(encoding="utf-8").partition("NOT_RUN")[0]


def commands(page: str) -> list[str]:
    """Write the files that a page makes to the current folder, and return its other commands."""
    found = "".join(blocks(page, ""))
    made = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.MULTILINE | re.DOTALL)
    for name, content in made.findall(found):
        Path(name).write_text(content, encoding="utf-8")
    return [line for line in made.sub("", found).splitlines() if line.startswith("provhouse ")]


def write_queries() -> None:
    """Write the files of the page of comparisons to the current folder."""
    for name, text in QUERIES.items():
        Path(name).write_text(text, encoding="utf-8")


def test_the_page_of_comparisons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_queries()
    listed = [each for each in commands("compare.md") if "--engine" not in each]
    assert "equal" in enter(listed, capsys)


@pytest.mark.long
def test_the_page_of_comparisons_on_spark(
    page_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_queries()
    listed = [each for each in commands("compare.md") if "--engine" in each]
    assert "equal" in enter(listed, capsys)
    (block,) = blocks("compare.md", "python")
    found: dict[str, Any] = {}
    exec(block, found)
    assert found["with_tax"].returnType.simpleString() == "double"


def test_the_settings_of_the_page_of_teams_exist() -> None:
    found = blocks("team.md", "toml")
    assert found
    for block in found:
        assert tomllib.loads(block).keys() <= vars(Settings()).keys()


def test_the_error_about_a_missing_extra_is_that_of_the_page(tmp_path: Path) -> None:
    (shown,) = blocks("installing.md", "text")
    assert run_base(COMMAND, tmp_path).stderr == shown


def test_the_query_of_the_tour_is_that_of_the_page() -> None:
    edits = TESTS.parent / "examples" / "flights" / "tour_edits.py"
    text = edits.read_text(encoding="utf-8")
    (block,) = blocks("tour.md", "sql")
    assert [line for line in block.splitlines() if line not in text] == []


@pytest.mark.long
@pytest.mark.parametrize("page", ["modules.md", "what-if.md"])
def test_the_pages_of_a_trace(
    page: str, page_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    enter(commands(page), capsys)
    if page == "modules.md":
        assert "total/1" in run_python(page, page_folder)
        assert "<svg" in (page_folder / "total.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_page_of_backups(
    page_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, restore = blocks("backup.md", "sh")
    enter([f"provhouse ingest {FIRST}"], capsys)
    asked = "provhouse --warehouse {} lineage revenue/2026-03 --format csv"
    before = enter([asked.format("warehouse")], capsys)
    shell(copy)
    Path("backup").rename("restored")
    monkeypatch.delenv("PROVHOUSE_NEO4J_HOME")  # both have the same identity
    enter(typed(restore), capsys)
    assert enter([asked.format("restored")], capsys) == before


@pytest.mark.long
def test_rows_of_interactive_queries_are_saved(
    page_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "(1, 'UA', 5), (2, 'AA', 6), (3, 'UA', 7)"
    start = (
        "from provhouse import interactive\n"
        "con = interactive.connect()\n"
        "con.duckdb.execute('create table flights(id int, carrier text, delay int)')\n"
        f'con.duckdb.execute("insert into flights values {rows}")\n'
    )
    run_program([start, blocks("interactive.md", "python")[-1]], page_folder)
    shown = enter(typed(blocks("interactive.md", "sh")[0]), capsys)
    assert {*re.findall(r"flights/\d", shown)} == {"flights/1", "flights/3"}

"""The results of commands, and their errors when a question cannot be answered."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command import Command


def valid(name: str, text: str) -> dict[str, Any]:
    """Return the JSON object in ``text``, validated against the schema ``name``."""
    value: dict[str, Any] = json.loads(text)
    schema = json.loads((files("provhouse.output") / "schemas" / f"{name}.json").read_text())
    jsonschema.validate(value, schema)
    return value


@pytest.mark.long
def test_an_empty_warehouse_is_not_found(fresh: Command) -> None:
    """In an empty warehouse, commands end with exit status 3, and ``status`` shows zeros."""
    commands = (
        "lineage a", "impact a", "explain a", "diff a --from 1", "generations", "cypher x",
        "browser", "rollback", "compact", "check", "repair", "prune --keep 1", "export x",
    )  # fmt: skip
    cold = replace(fresh, by=None)  # a start of Spark would write Spark's log
    for asked in map(str.split, commands):
        fresh.kept = False
        done = (cold if asked == ["lineage", "a"] else fresh)(*asked, status=3)
        assert str(fresh.warehouse) in done.message
        assert "ngest" in done.message
    status = valid("status", fresh("status", "--format", "json").out)
    assert status["generation"] is None
    assert status["triples"] == 0
    assert not fresh.warehouse.exists()


def test_an_item_that_is_not_stored_is_reported(stored: Command) -> None:
    done = stored("lineage", "reprot", status=3)
    assert done.message.splitlines()[:2] == [
        "Item 'reprot' is not in generation 1",
        "None of its 5 items has that name",
    ]
    assert done.out == ""


def test_status_counts_what_is_stored(stored: Command) -> None:
    """``status`` reports that Neo4j runs, since other tests keep it up, and that no server runs."""
    status = valid("status", stored("status").out)
    assert status["warehouse"] == str(stored.warehouse)
    counts = ("generation", "triples", "items", "components", "sets", "set_dependencies")
    assert [status[name] for name in counts] == [1, 4, 5, 1, 1, 0]
    assert status["neo4j"].startswith("bolt://127.0.0.1:")
    assert status["server"] is None


def test_check_finds_no_damage(stored: Command) -> None:
    report = valid("check", stored("check", "--deep").out)
    assert (report["generation"], report["damages"]) == (1, [])
    assert report["looked_at"]["triples"] == 4


@pytest.mark.long
def test_cypher_reads_the_summary(stored: Command) -> None:
    query = "MATCH (t:Table {warehouse: $warehouse}) WHERE t.items >= $n RETURN t.name AS name"
    done = stored("cypher", f"{query} ORDER BY name", "--param", "n=2", "--format", "csv")
    assert done.out.split() == ["name", "clean", "raw"]


@pytest.mark.long
def test_cypher_refuses_to_write(stored: Command) -> None:
    for query in ("CREATE (:Mine)", "MATCH (n) DETACH DELETE n", "CALL dbms.listConfig()"):
        done = stored("cypher", query, status=2)
        assert "The query does more than read" in done.message
    assert '"n":5' in stored("cypher", "MATCH (t:Table {warehouse: $warehouse}) "
                           "RETURN sum(t.items) AS n").out  # fmt: skip


@pytest.mark.long
def test_browser_shows_how_to_log_in(stored: Command) -> None:
    """`browser` prints the address, the user, the password file, and at least three queries."""
    out = stored("browser", "--format", "table").out
    assert "http://127.0.0.1:" in out
    assert "Username       neo4j" in out
    password = Path(out.split("Password       in ")[1].split("\n")[0])
    assert password.read_text().strip() not in out
    assert out.count("\nMATCH ") >= 3
    assert f"provhouse --warehouse {stored.warehouse} down" in out
    assert "no module is declared" in out  # what a query would show nothing for
    found = valid("browser", stored("browser", "--format", "json").out)
    assert found["url"] in out
    assert {row["title"] for row in found["queries"]}.isdisjoint(
        row["title"] for row in found["empty"]
    )
    assert len(found["queries"]) + len(found["empty"]) == 10
    assert valid("browser-cleared", stored("browser", "--clear").out) == {"removed": 0}


@pytest.mark.long
def test_answers_have_attributes(stored: Command, tmp_path: Path) -> None:
    """Answers show the attributes of triples. Answers about several items are JSON lines."""
    names = tmp_path / "names"
    names.write_text("report\nclean/2\nraw/1\n")
    lines = stored("lineage", "--items", names).out.splitlines()
    report, clean, raw = (valid("answer", line) for line in lines)
    assert report["triples"][0] == {
        "src": "clean/1", "dst": "report", "op": "sum", "attributes": {},
    }  # fmt: skip
    assert [row["src"] for row in report["triples"]] == ["clean/1", "clean/2", "raw/1", "raw/2"]
    assert clean["triples"][0]["attributes"] == {"by": "nightly"}
    assert raw["items"] == raw["triples"] == []


@pytest.mark.long
def test_ingests_add_generations(fresh: Command, first_file: Path, tmp_path: Path) -> None:
    """Ingest a file, repeat it with --strict, add a Parquet file, and ingest with --replace."""
    first = valid("ingest", fresh("ingest", first_file, "--format", "json").out)
    names = ("generation", "triples", "items", "components", "duplicates", "rejected", "two_tables")
    assert [first[name] for name in names] == [1, 4, 5, 1, 1, 1, 0]
    assert first["peak_memory_mb"] > 100
    fresh("up")  # the server answers the questions below, so Spark is not started again

    check = unchanged(fresh)
    done = fresh("ingest", first_file, "--strict", status=4)
    assert "--strict" in done.message
    check()

    more = tmp_path / "more.parquet"
    pq.write_table(
        pa.table({
            "src": ["raw/1", "report", "raw/1"], "dst": ["clean/1", "mail", "clean/1"],
            "op": ["trim", "send", "trim"], "by": ["nightly", None, "hand"],
            "src_table": ["sources", "report", "sources"], "dst_table": ["clean", "mail", "clean"],
        }),
        more,
    )  # fmt: skip
    second = valid("ingest", fresh("ingest", more, "--format", "json").out)
    assert [second[name] for name in names] == [2, 6, 6, 1, 1, 0, 1]

    third = valid("ingest", fresh("ingest", first_file, "--replace", "--format", "json").out)
    assert [third[name] for name in names] == [3, 4, 5, 1, 1, 1, 0]
    assert sorted(path.name for path in fresh.warehouse.glob("base-*")) == ["base-1", "base-2"]
    assert valid("status", fresh("status").out)["generation"] == 3
    lineage = valid("answer", fresh("lineage", "report", "--as-of", 3).out)
    assert {row["item"]: row["depth"] for row in lineage["items"]} == {
        "clean/1": 1, "clean/2": 1, "raw/1": 2, "raw/2": 2,
    }  # fmt: skip
    assert lineage["generation"] == 3
    assert fresh("lineage", "mail", status=3).message.splitlines()[1].endswith("5 items")
    check_the_past(fresh)


def check_the_past(fresh: Command) -> None:
    """Ask about earlier generations. Of three generations, only the second contains ``mail``."""
    listed = json.loads(fresh("generations").out)
    assert [one["change"] for one in listed] == ["ingest", "ingest", "replace"]
    assert "replace" in fresh("generations", "--format", "table").out
    then = listed[1]["time"]
    told = valid("explanation", fresh("explain", "mail", "--as-of", then).out)
    assert (told["generation"], told["method"]) == (2, "csprov")
    diff = valid("diff", fresh("diff", "mail", "--from", 2).out)
    assert [diff[side]["held"] for side in ("from", "to")] == [True, False]
    assert len(diff["went"]["items"]) == 5
    assert diff["came"] == {"items": [], "triples": []}
    done = fresh("lineage", "mail", "--as-of", "2001-01-01", status=3)
    assert f"generation 1, was committed at {listed[0]['time']}" in done.message
    assert "ISO 8601" in fresh("lineage", "mail", "--as-of", "then", status=2).message


def unchanged(command: Command) -> Callable[[], None]:
    """Return a function that fails if the commits have changed since this call."""
    commits = {file: file.read_text() for file in command.warehouse.glob("commits/*")}

    def check() -> None:
        assert {f: f.read_text() for f in command.warehouse.glob("commits/*")} == commits

    return check


@pytest.mark.long
def test_a_neo4j_without_the_generation_is_damage(stored: Command) -> None:
    """A question fails if Neo4j lacks the generation. Here, Neo4j has a new, empty home."""
    own = Command(stored.warehouse)
    done = own("lineage", "report", status=7)
    assert "Neo4j does not have generation 1" in done.message

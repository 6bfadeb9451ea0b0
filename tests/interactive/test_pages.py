"""The Python blocks of docs/interactive.md and docs/crossfilter.md run."""

from pathlib import Path

import duckdb
import pytest

from helpers.pages import run
from provhouse.cli.app import run as run_command

FLIGHTS = """
    copy (select i as id, 'C' || i % 5 as carrier, (i * 37) % 90 - 20 as delay,
        (i * 37) % 90 - 20 as dep_delay, case when i % 3 = 0 then 'JFK' else 'EWR' end as origin,
        date '2026-01-01' + (i % 300)::int as date, month(date) as month, i % 24 as hour,
        'N' || i % 7 as tailnum
    from range({rows}) t(i)) to '{path}'"""


def test_the_page_of_interactive_queries(tmp_path: Path) -> None:
    duckdb.execute(FLIGHTS.format(rows=40, path=tmp_path / "trips.parquet"))
    countries = "".join(f"C{at},{country}\n" for at, country in enumerate(("US", "AT", "US", "FR")))
    (tmp_path / "carriers.csv").write_text("carrier,country\n" + countries)
    shown = run("interactive.md", tmp_path, slice(-1))  # the last one saves to a warehouse
    assert "trips: indexed when asked for" in shown
    assert "carriers/0·trips/0 + carriers/2·trips/2" in shown
    assert duckdb.execute(f"from '{tmp_path / 'late.parquet'}'").fetchall()[0][0].startswith("C")


@pytest.mark.long
def test_the_example_of_save_leads_from_a_saved_row_to_its_records(
    tmp_path: Path,
    graph_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    flights = tmp_path / "flights.parquet"
    duckdb.execute(FLIGHTS.format(rows=15, path=flights))
    opening = f"from provhouse import interactive\ncon = interactive.connect('{flights}')\n"
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
    run("interactive.md", tmp_path, slice(-1, None), before=opening)
    warehouse = ["--warehouse", str(tmp_path / "warehouse")]
    assert run_command([*warehouse, "lineage", "late/C1", "--format", "csv"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert {line.partition(",")[0] for line in shown[1:]} == {
        "flights/1",
        "flights/6",
        "flights/11",
    }


@pytest.mark.long
def test_the_page_of_linked_views(tmp_path: Path) -> None:
    duckdb.execute(FLIGHTS.format(rows=2000, path=tmp_path / "flights.parquet"))
    shown = run("crossfilter.md", tmp_path)
    selected = duckdb.execute(
        f"select count(*) from '{tmp_path / 'flights.parquet'}' where hour in (7, 8)"
    )
    assert shown.startswith(f"{selected.fetchall()[0][0]} ")

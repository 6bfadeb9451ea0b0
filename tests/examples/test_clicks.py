"""In a small copy of the demo's warehouse, the example leads from a query's row to a raw row."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.oracle import Triple
from helpers.warehouse import House

SCRIPT = Path(__file__).parents[2] / "examples" / "flights" / "clicks.py"
FLIGHTS = [("AA", 5), ("AA", 90), ("UA", -3), ("HA", 300), ("HA", None), ("HA", 250)]


@pytest.mark.long
def test_a_line_leads_to_its_flights_and_to_their_raw_rows(
    houses: Callable[..., House], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    house = houses()
    ids = [f"2013-01-0{at}/JFK/{carrier}{at}" for at, (carrier, _) in enumerate(FLIGHTS, 1)]
    house.ingest(
        Triple(f"{src}/{name}{old}", f"{dst}/{name}{new}", op, src, dst)
        for name in ids
        for src, old, dst, new, op in (
            ("flights", "", "flights_clean", "@3", "check flight"),
            ("flights_clean", "@3", "departures", "@7", "join flight, wind and plane"),
        )
    )
    carriers, delays = zip(*FLIGHTS, strict=True)
    folder = tmp_path / "tables" / "departures"
    folder.mkdir(parents=True)
    rows = pa.table({"id": ids, "carrier": carriers, "dep_delay": delays})
    pq.write_table(rows, folder / "part-0.parquet")
    explore = runpy.run_path(str(SCRIPT))["explore"]
    explore(tmp_path, house.settings.warehouse, neo4j_home=house.settings.neo4j_home)
    printed = capsys.readouterr().out
    house.check()
    assert "HA has 3 flights" in printed
    assert f"300 minutes late: {ids[3]}" in printed
    assert f"3 raw rows of flights, and flights/{ids[3]} is one of them" in printed

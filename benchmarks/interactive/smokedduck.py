"""Measure one query once with SmokedDuck, in its own environment: JSON in, JSON out.

The database stores the lineage that it captures, and capturing a second time fails. So each
measurement runs in its own process, on a copy of the database. The fork runs queries with lineage
in one thread only.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import smokedduck

Times = dict[str, float]


def main() -> None:
    """Read the query from standard input; print its times, and the sums of the records found."""
    given = json.load(sys.stdin)
    file = Path(given["folder"]) / "smokedduck.db"
    if not file.exists():
        load(file)
    with tempfile.TemporaryDirectory(dir=given["folder"]) as folder:
        copy = shutil.copy(file, folder)
        con = smokedduck.prov_connect(database=str(copy), read_only=False)
        con.execute(given["sql"]).df()  # reads the tables
        capture, _ = timed(partial(captured_rows, con, given["sql"]))
        lineage, found = timed(partial(first_lineage, con))
        con.register("rids", found[["lineitem"]].dropna().drop_duplicates())
        sums = con.execute(f"{given['sums']} (select lineitem from rids)").fetchone()
        con.close()
    known = {"capture": capture, "lineage": lineage, "sums": [int(each) for each in sums]}
    print(json.dumps(known))


def captured_rows(con: Any, sql: str) -> Any:
    """Run the query with its lineage, and return its rows."""
    return con.execute(sql, capture_lineage="lineage").df()


def first_lineage(con: Any) -> Any:
    """Return the lineage of the first row."""
    return con.backward([0], "lineage").df()


def load(file: Path) -> None:
    """Make the database of the tables in the folder."""
    con = smokedduck.prov_connect(database=str(file), read_only=False)
    for path in sorted(file.parent.iterdir()):
        if list(path.glob("*.parquet")):
            con.execute(f"create table {path.name} as select * from '{path}/*.parquet'")
    con.close()


def timed(run: Callable[[], Any]) -> tuple[Times, Any]:
    """Return the milliseconds of a call, and its value."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": round(1e3 * cpu, 3), "wall": round(1e3 * wall, 3)}, value


if __name__ == "__main__":
    main()

"""Measure one query with SmokedDuck, in its own environment: JSON in, JSON out.

Each repetition has a new process of the database, since a second capture fails. The fork runs
queries with lineage in one thread only.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import smokedduck

Times = dict[str, float]


def main() -> None:
    """Read the query from the standard input, and print times and sums of the records."""
    given = json.load(sys.stdin)
    file = Path(given["folder"]) / "smokedduck.db"
    if not file.exists():
        load(file)
    captures, questions = [], []
    for _ in range(given["repeats"]):
        con = smokedduck.prov_connect(database=str(file), read_only=False)
        con.execute(given["sql"]).df()  # reads the tables
        captured = timed(partial(captured_rows, con, given["sql"]))
        asked = timed(partial(first_lineage, con))
        captures.append(captured[0])
        questions.append(asked[0])
        rids = asked[1][["lineitem"]].dropna().drop_duplicates()
        con.register("rids", rids)
        sums = con.execute(f"{given['sums']} (select lineitem from rids)").fetchone()
        con.close()
    times = {"capture": middle(captures), "lineage": middle(questions)}
    print(json.dumps({**times, "sums": [int(each) for each in sums]}))


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
        if path.is_dir():
            con.execute(f"create table {path.name} as select * from '{path}/*.parquet'")
    con.close()


def timed(run: Callable[[], Any]) -> tuple[Times, Any]:
    """Return the milliseconds of a call, and its value."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = run()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {"cpu": round(1e3 * cpu, 3), "wall": round(1e3 * wall, 3)}, value


def middle(times: list[Times]) -> Times:
    """Return the medians of times."""
    return {kind: median(each[kind] for each in times) for kind in ("cpu", "wall")}


if __name__ == "__main__":
    main()

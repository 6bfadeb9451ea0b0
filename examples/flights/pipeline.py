"""The pipeline of the demo: plain PySpark in a block whose lineage provhouse captures.

    python examples/flights/pipeline.py --out FOLDER --warehouse WAREHOUSE

The pipeline writes its tables to FOLDER/tables. FOLDER/done.json exists only if the result is
complete, and its lineage is in the warehouse.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from book import Book, Step

HERE = Path(__file__).parent
CODE = ("source", "book", "raw", "clean", "join", "rollup", "report", "pipeline")
Days = tuple[date, date]
"""The first and the last day of the data to use."""
YEAR: Days = (date(2013, 1, 1), date(2013, 12, 31))
KEYS = dict.fromkeys(
    (
        "flights", "weather", "planes", "airports", "airlines",
        "flights_clean", "flights_cancelled", "flights_rejected",
        "weather_clean", "weather_rejected", "planes_clean", "weather_steady", "departures",
        "route_daily", "carrier_daily", "airport_daily", "wind_daily",
        "route_monthly", "carrier_monthly", "airport_monthly", "report",
    ),
    "id",
)  # fmt: skip
"""The key of each table."""


def run(folder: Path, warehouse: Path, days: Days) -> None:
    """Run all steps with ``folder`` as output; print `n/m name` before each step."""
    from book import Book, Step

    import provhouse  # not at the top, as `fingerprint` needs neither this nor Spark

    _clear(folder)
    every = steps()
    print(f"0/{len(every) + 2} start Spark", flush=True)
    book = Book(folder)
    print(f"1/{len(every) + 2} read the source tables", flush=True)
    read_sources(book, days)
    with provhouse.capture(
        book.spark, warehouse, keys=KEYS, run="flights", values=True
    ) as captured:
        for number, (name, step) in enumerate(every, 2):
            print(f"{number}/{len(every) + 2} {name}", flush=True)
            step(Step(book, captured))
        print(f"{len(every) + 2}/{len(every) + 2} store the lineage", flush=True)
    assert captured.report
    if captured.report.error:
        sys.exit(captured.report.error)
    made = {"fingerprint": fingerprint(days)}
    (folder / "done.json").write_text(json.dumps(made) + "\n", encoding="utf-8")


def _clear(folder: Path) -> None:
    (folder / "done.json").unlink(missing_ok=True)  # first, so that no partial result has this file
    for part in ("source", "tables"):
        shutil.rmtree(folder / part, ignore_errors=True)


def fingerprint(days: Days) -> str:
    """Return a hash of the code and the days, which changes when the pipeline must run again."""
    code = b"".join((HERE / f"{name}.py").read_bytes() for name in CODE)
    return hashlib.sha256(code + f"{days[0]} {days[1]}".encode()).hexdigest()[:16]


def is_done(folder: Path, days: Days) -> bool:
    """Return whether ``folder`` has the complete result of the current code for these days."""
    try:
        made: object = json.loads((folder / "done.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return made == {"fingerprint": fingerprint(days)}


def read_sources(book: "Book", days: Days) -> None:
    """Write the five source tables."""
    import raw
    import source

    source.unpack(book.folder / "source")
    raw.read(book, *days)


def steps() -> "tuple[tuple[str, Callable[[Step], None]], ...]":
    """Return the steps after the source tables, with their names."""
    import clean
    import join
    import report
    import rollup

    return (
        ("clean flights", clean.flights),
        ("clean weather", clean.weather),
        ("repair planes", clean.planes),
        ("average the wind over six hours", join.steady_wind),
        ("join flights, wind and planes", join.departures),
        ("sum by day", rollup.daily),
        ("average the wind by day", rollup.daily_wind),
        ("sum by month", rollup.monthly),
        ("write the report", report.write),
    )


def add_days(parser: argparse.ArgumentParser) -> None:
    """Add options for the first and last day; flights and weather of other days are left out."""
    for option, default in zip(("--first", "--last"), YEAR, strict=True):
        parser.add_argument(option, type=date.fromisoformat, default=default, metavar="DAY")


def main() -> None:
    """Run the pipeline from the command line."""
    parser = argparse.ArgumentParser(description="Curate the flights of 2013 from New York.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--warehouse", type=Path, required=True)
    add_days(parser)
    given = parser.parse_args()
    run(given.out.absolute(), given.warehouse.absolute(), (given.first, given.last))


if __name__ == "__main__":
    main()

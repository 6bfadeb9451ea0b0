"""The pipeline of the demo, which does not use provhouse.

    python examples/flights/pipeline.py --out FOLDER

The pipeline writes its tables to FOLDER/tables. For each derivation of one row from another row, it
writes a triple to FOLDER/triples. FOLDER/done.json exists only if the result is complete.
"""

import argparse
import hashlib
import json
import shutil
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
CODE = ("source", "book", "raw", "clean", "join", "rollup", "report", "pipeline")
Days = tuple[date, date]
"""The first and the last day of the data to use."""
YEAR: Days = (date(2013, 1, 1), date(2013, 12, 31))
Step = tuple[str, Callable[[], None]]


def run(folder: Path, days: Days) -> None:
    """Run all steps with ``folder`` as output; print `n/m name` before each step."""
    _clear(folder)
    print("0/1 start Spark", flush=True)
    steps = _steps(folder, days)
    for number, (name, step) in enumerate(steps, 1):
        print(f"{number}/{len(steps)} {name}", flush=True)
        step()
    made = {"fingerprint": fingerprint(days)}
    (folder / "done.json").write_text(json.dumps(made) + "\n", encoding="utf-8")


def _clear(folder: Path) -> None:
    (folder / "done.json").unlink(missing_ok=True)  # first, so that no partial result has this file
    for part in ("source", "tables", "triples"):
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


def _steps(folder: Path, days: Days) -> tuple[Step, ...]:
    # These modules import Spark, which `fingerprint` does not need.
    import clean
    import join
    import raw
    import report
    import rollup
    import source
    from book import Book

    book = Book(folder)
    return (
        ("unpack the source files", partial(source.unpack, folder / "source")),
        ("read the source tables", partial(raw.read, book, *days)),
        ("clean flights", partial(clean.flights, book)),
        ("clean weather", partial(clean.weather, book)),
        ("repair planes", partial(clean.planes, book)),
        ("average the wind over six hours", partial(join.steady_wind, book)),
        ("join flights, wind and planes", partial(join.departures, book)),
        ("sum by day", partial(rollup.daily, book)),
        ("sum by month", partial(rollup.monthly, book)),
        ("write the report", partial(report.write, book)),
    )


def add_days(parser: argparse.ArgumentParser) -> None:
    """Add options for the first and last day; flights and weather of other days are left out."""
    for option, default in zip(("--first", "--last"), YEAR, strict=True):
        parser.add_argument(option, type=date.fromisoformat, default=default, metavar="DAY")


def main() -> None:
    """Run the pipeline from the command line."""
    parser = argparse.ArgumentParser(description="Curate the flights of 2013 from New York.")
    parser.add_argument("--out", type=Path, required=True)
    add_days(parser)
    given = parser.parse_args()
    run(given.out.absolute(), (given.first, given.last))


if __name__ == "__main__":
    main()

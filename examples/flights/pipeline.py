"""The pipeline of the demo, on its own: `python examples/flights/pipeline.py --out FOLDER`.

It knows nothing of provhouse. It leaves its tables in FOLDER/tables and, as it goes, record by
record, what went into what in FOLDER/triples. FOLDER/done.json stands only beside a whole result.
"""

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
CODE = ("source", "book", "raw", "clean", "join", "rollup", "report", "pipeline")
YEAR = (date(2013, 1, 1), date(2013, 12, 31))

Step = tuple[str, Callable[[], None]]


def run(folder: Path, first: date, last: date) -> None:
    """Run all steps into ``folder`` and say on standard error which one it is at, as `n/m name`."""
    print("0/1 start Spark", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    steps = _steps(folder, first, last)
    for number, (name, step) in enumerate(steps):
        print(f"{number}/{len(steps)} {name}", file=sys.stderr, flush=True)
        step()
    made = {"fingerprint": fingerprint(first, last)}
    (folder / "done.json").write_text(json.dumps(made) + "\n", encoding="utf-8")


def fingerprint(first: date = YEAR[0], last: date = YEAR[1]) -> str:
    """What the result depends on, so that a changed pipeline is run again: its code and days."""
    code = b"".join((HERE / f"{name}.py").read_bytes() for name in CODE)
    return hashlib.sha256(code + f"{first} {last}".encode()).hexdigest()[:16]


def is_done(folder: Path) -> bool:
    """Whether ``folder`` holds the whole result of this very code for the whole year."""
    try:
        made: object = json.loads((folder / "done.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return made == {"fingerprint": fingerprint()}


def _steps(folder: Path, first: date, last: date) -> tuple[Step, ...]:
    # Spark is imported here, so that asking for a fingerprint needs none.
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
        ("read the source tables", partial(raw.read, book, first, last)),
        ("clean flights", partial(clean.flights, book)),
        ("clean weather", partial(clean.weather, book)),
        ("repair planes", partial(clean.planes, book)),
        ("average the wind over six hours", partial(join.steady_wind, book)),
        ("join flights, wind and planes", partial(join.departures, book)),
        ("sum by day", partial(rollup.daily, book)),
        ("sum by month", partial(rollup.monthly, book)),
        ("write the report", partial(report.write, book)),
    )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Curate the flights of 2013 from New York.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first", type=date.fromisoformat, default=YEAR[0])
    parser.add_argument("--last", type=date.fromisoformat, default=YEAR[1])
    given = parser.parse_args()
    run(given.out.absolute(), given.first, given.last)


if __name__ == "__main__":
    main()

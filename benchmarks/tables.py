"""Put what was measured into pages, between two markers, so that no figure is typed.

The texts are made by the scripts whose names end in `_table.py` or `_tables.py`; a test checks that
the pages hold just that.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import components_table
import enter_table
import explain_table
import fuzz_table
import ingest_table
import methods_table
import peers_table
import reliability_table
import serve_table
import sets_tables
import soak_table
import time_left_table
import worst_table

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
RELIABILITY = ROOT / "docs" / "reliability.md"
BENCHMARKS, SETS = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "sets.md"


def placed(text: str, name: str, between: str) -> str | None:
    """The text with this between the markers of that name; None if it has none."""
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(closing)
    return f"{before}{begin}\n{between}\n{end}{after}" if end else None


def pages() -> Iterator[tuple[Path, str, str]]:
    """Each page with what belongs between which markers of it."""
    compared = methods_table.read()
    yield README, "methods", methods_table.short(compared)
    yield BENCHMARKS, "methods", methods_table.tables(compared)
    yield BENCHMARKS, "components", components_table.tables(components_table.read())
    yield BENCHMARKS, "explain", explain_table.table(explain_table.read())
    yield BENCHMARKS, "ingest", ingest_table.tables(ingest_table.read())
    yield BENCHMARKS, "time left", time_left_table.table(time_left_table.read())
    yield BENCHMARKS, "peers", peers_table.tables(peers_table.read())
    yield BENCHMARKS, "serve", serve_table.table(serve_table.read())
    yield BENCHMARKS, "enter", enter_table.table(enter_table.read())
    yield BENCHMARKS, "worst", worst_table.table(worst_table.read())
    yield RELIABILITY, "rounds", reliability_table.table(reliability_table.read())
    yield RELIABILITY, "soak", soak_table.table(soak_table.read())
    yield RELIABILITY, "fuzz", fuzz_table.table(fuzz_table.read())
    found = sets_tables.read()
    yield BENCHMARKS, "sets", sets_tables.tables(found)
    yield SETS, "paper", sets_tables.pictures(found["paper"])
    if found["flights"]:
        yield SETS, "flights", sets_tables.pictures(found["flights"])


def main() -> None:
    """Bring the pages up to date."""
    for page, name, between in pages():
        text = placed(page.read_text(encoding="utf-8"), name, between)
        if text is None:
            sys.exit(f"{page.name} should have the markers <!-- {name} --> and <!-- /{name} -->")
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

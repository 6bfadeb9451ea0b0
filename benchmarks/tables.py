"""Put what was measured into pages, between two markers, so that no figure is typed.

The README's text is made from `results/methods.json`, that of other pages by `sets_tables.py`,
`components_table.py`, `explain_table.py`, `ingest_table.py`, `peers_table.py` and `serve_table.py`;
a test checks that the pages hold just that.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import components_table
import explain_table
import ingest_table
import peers_table
import serve_table
import sets_tables
from form import Class, Measured, Results

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BENCHMARKS, SETS = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "sets.md"
RESULTS = Path(__file__).parent / "results" / "methods.json"
NAMES = {"rq": "RQ", "ccprov": "CCProv", "csprov": "CSProv"}
WORDS = {"upstream": "lineage", "downstream": "impact"}


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def methods(results: Results) -> str:
    """A Markdown table, a row for each class, and a paragraph that says what it stands on."""
    heads = [f"{name}: {what}" for name in NAMES.values() for what in ("time", "triples read")]
    lines = [
        row("question", "items found", *heads),
        row("---", *["---:"] * (1 + len(heads))),
        *(row(*cells(each)) for each in results["classes"]),
    ]
    return "\n".join([*lines, "", note(results)])


def row(*cells: str) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def cells(each: Class) -> list[str]:
    """What the table says about one class."""
    question = f"{WORDS[each['direction']]} of {each['least']:,} to {each['most']:,} items"
    found = f"{each['answer']['items']['median']:,.0f}"
    return [question, found, *(cell for name in NAMES for cell in pair(each["methods"][name]))]


def pair(measured: Measured) -> tuple[str, str]:
    """Time and triples of one method."""
    return lasted(measured["seconds"]["median"]), f"{measured['triples']['median']:,.0f}"


def lasted(seconds: float) -> str:
    """A time with two digits that count."""
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def note(results: Results) -> str:
    """Where the figures are from."""
    machine, held, fills = results["machine"], results["warehouse"], results["fill_seconds"]
    asked = " and ".join(sorted({str(each["asked"]) for each in results["classes"]}))
    return (
        f"Medians of {asked} questions of each kind, on the demo's {held['triples']:,} triples with"
        f" {machine['cores']} cores ({machine['cpu']}), all in memory: {filled(fills)}. An empty"
        f" Spark job takes {lasted(results['empty_job_seconds']['median'])} there."
    )


def filled(fills: dict[str, float]) -> str:
    """What each cache took to fill."""
    by_hash = [seconds for name, seconds in fills.items() if name.startswith("rq")]
    return (
        f"filling took {lasted(fills['csprov'])} for CSProv and {lasted(sum(by_hash))} for the"
        " copies by dst and by src that RQ and CCProv need"
    )


def placed(text: str, name: str, between: str) -> str | None:
    """The text with this between the markers of that name; None if it has none."""
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(closing)
    return f"{before}{begin}\n{between}\n{end}{after}" if end else None


def pages() -> Iterator[tuple[Path, str, str]]:
    """Each page with what belongs between which markers of it."""
    yield README, "methods", methods(read())
    yield BENCHMARKS, "components", components_table.tables(components_table.read())
    yield BENCHMARKS, "explain", explain_table.table(explain_table.read())
    yield BENCHMARKS, "ingest", ingest_table.tables(ingest_table.read())
    if peers_table.RESULTS.exists():
        yield BENCHMARKS, "peers", peers_table.tables(peers_table.read())
    yield BENCHMARKS, "serve", serve_table.table(serve_table.read())
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

"""Write the tables of all benchmarks into the README and `docs`. No figure is typed by hand.

Each table is between two comments that contain its name: the opening and the closing marker. A test
checks that the pages are up to date.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import ROOT
from benchmarks.capture import coverage as capture_coverage
from benchmarks.capture import memory as capture_memory_form
from benchmarks.capture import memory as capture_memory_table
from benchmarks.capture import nights as capture_nights_form
from benchmarks.capture import nights as capture_nights_table
from benchmarks.capture import overhead as capture_overhead_form
from benchmarks.capture import overhead as capture_overhead_table
from benchmarks.capture import programs as programs_form
from benchmarks.capture import programs as programs_table
from benchmarks.capture import tpcds as capture_tpcds_form
from benchmarks.capture import tpcds as capture_tpcds_table
from benchmarks.charts import crossfilter as crossfilter_form
from benchmarks.charts import crossfilter as crossfilter_table
from benchmarks.ingest import builds as builds_table
from benchmarks.ingest import capacity
from benchmarks.ingest import components as components_table
from benchmarks.ingest import ingest as ingest_table
from benchmarks.interactive import all_table as interactive_all_table
from benchmarks.interactive import coverage as interactive_coverage
from benchmarks.interactive import form as interactive_form
from benchmarks.interactive import generated as interactive_generated
from benchmarks.interactive import table as interactive_table
from benchmarks.peers import peers as peers_sizes_table
from benchmarks.peers import peers as peers_table
from benchmarks.questions import enter as enter_table
from benchmarks.questions import explain as explain_table
from benchmarks.questions import methods, methods_table
from benchmarks.server import fuzz, reliability, soak
from benchmarks.server import serve as serve_table
from benchmarks.sets import sets_table
from benchmarks.shared.results import Content, ResultsFile
from benchmarks.tracing import tracing as tracing_table
from benchmarks.tracing import walks as tracing_form
from benchmarks.what_if import what_if as what_if_table
from benchmarks.workflows import workflowgen as workflowgen_table

README = ROOT / "README.md"
COVERAGE = ROOT / "docs" / "capture-coverage.md"
INTERACTIVE = ROOT / "docs" / "interactive-coverage.md"
RELIABILITY = ROOT / "docs" / "reliability.md"
SECTIONS = {
    "builds": builds_table.SECTION,
    "capture": capture_overhead_table.SECTION,
    "capture memory": capture_memory_table.SECTION,
    "capture nights": capture_nights_table.SECTION,
    "capture TPC-DS": capture_tpcds_table.SECTION,
    "crossfilter": crossfilter_table.SECTION,
    "interactive": interactive_table.SECTION,
    "interactive all": interactive_all_table.SECTION,
    "tracing": tracing_table.SECTION,
    "what-if": what_if_table.SECTION,
    "workflowgen": workflowgen_table.SECTION,
    "programs": programs_table.SECTION,
}
"""Sections that are added to a page once there are results for them."""
CAPACITY = ROOT / "docs" / "capacity.md"
BENCHMARKS, SETS = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "sets.md"


def placed(text: str, name: str, between: str) -> str | None:
    """Return a page's text in which ``between`` replaces what is between the markers of ``name``.

    Returns None if the text lacks these markers.
    """
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(closing)
    return f"{before}{begin}\n{between}\n{end}{after}" if end else None


def optional(
    name: str, results: ResultsFile[Content], table: Callable[[Content], str]
) -> Iterator[tuple[Path, str, str]]:
    """Yield the table of a benchmark that not every release runs, if it has results."""
    if results.path.exists():
        yield BENCHMARKS, name, table(results.read())


def pages() -> Iterator[tuple[Path, str, str]]:
    """Yield, for each table, the page that contains it, the name in its markers, and its text."""
    compared = methods.RESULTS.read()
    yield README, "methods", methods_table.short(compared)
    yield BENCHMARKS, "methods", methods_table.tables(compared)
    yield BENCHMARKS, "components", components_table.tables(components_table.RESULTS.read())
    yield BENCHMARKS, "explain", explain_table.table(explain_table.RESULTS.read())
    yield BENCHMARKS, "ingest", ingest_table.tables(ingest_table.RESULTS.read())
    peers = peers_table.RESULTS.read()
    yield BENCHMARKS, "peers", peers_table.tables(peers["1"])
    yield BENCHMARKS, "peers by size", peers_sizes_table.sizes(peers)
    yield BENCHMARKS, "serve", serve_table.table(serve_table.RESULTS.read())
    yield BENCHMARKS, "enter", enter_table.table(enter_table.RESULTS.read())
    yield from optional("what-if", what_if_table.RESULTS, what_if_table.tables)
    yield from optional("builds", builds_table.RESULTS, builds_table.table)
    for name, suite in capture_coverage.RESULTS.read().items():
        yield COVERAGE, name, capture_coverage.table(suite)
    for name, outcomes in interactive_coverage.RESULTS.read(missing={}).items():
        yield INTERACTIVE, name, interactive_coverage.table(outcomes)
    if interactive_generated.RESULTS.path.exists():
        yield (
            INTERACTIVE,
            "generated",
            interactive_generated.table(interactive_generated.RESULTS.read()),
        )
    yield from optional("capture", capture_overhead_form.RESULTS, capture_overhead_table.tables)
    yield from optional("capture TPC-DS", capture_tpcds_form.RESULTS, capture_tpcds_table.table)
    yield from optional("capture memory", capture_memory_form.RESULTS, capture_memory_table.table)
    yield from optional("crossfilter", crossfilter_form.RESULTS, crossfilter_table.table)
    yield from optional("interactive", interactive_form.RESULTS, interactive_table.table)
    yield from optional(
        "interactive all", interactive_all_table.RESULTS, interactive_all_table.table
    )
    yield from optional("capture nights", capture_nights_form.RESULTS, capture_nights_table.table)
    yield from optional("tracing", tracing_form.RESULTS, tracing_table.tables)
    yield from optional("workflowgen", workflowgen_table.RESULTS, workflowgen_table.tables)
    yield from optional("programs", programs_form.RESULTS, programs_table.table)
    yield RELIABILITY, "rounds", reliability.table(reliability.RESULTS.read())
    yield RELIABILITY, "soak", soak.table(soak.RESULTS.read())
    yield RELIABILITY, "fuzz", fuzz.table(fuzz.RESULTS.read())
    yield CAPACITY, "ingest", capacity.table()
    yield CAPACITY, "graphs", capacity.graphs()
    found = sets_table.RESULTS.read()
    yield BENCHMARKS, "sets", sets_table.tables(found)
    yield SETS, "paper", sets_table.pictures(found["paper"])
    if found["flights"]:
        yield SETS, "flights", sets_table.pictures(found["flights"])


def main() -> None:
    """Write all tables into the pages. Exit if a page lacks the markers of a table."""
    for page, name, between in pages():
        text = page.read_text(encoding="utf-8")
        if name in SECTIONS and f"<!-- {name} -->" not in text:
            text += f"\n{SECTIONS[name]}<!-- {name} -->\n<!-- /{name} -->\n"
        updated = placed(text, name, between)
        if updated is None:
            sys.exit(f"{page.name} lacks the markers <!-- {name} --> and <!-- /{name} -->")
        page.write_text(updated, encoding="utf-8")


if __name__ == "__main__":
    main()

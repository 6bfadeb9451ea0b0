"""Write the tables of all benchmarks into `docs`. No figure is typed by hand.

Each table is between two comments that contain its name: the opening and the closing marker. A test
checks that the pages are up to date.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import ROOT, summary
from benchmarks.capture import capture_coverage as captured
from benchmarks.capture import capture_memory as memory
from benchmarks.capture import nights, overhead, programs, spark_versions, tpcds, versions
from benchmarks.charts import crossfilter_speed as crossfilter
from benchmarks.equivalence import edits, in_spark, pairs
from benchmarks.frames import frames_speed
from benchmarks.ingest import builds, capacity, ingest, storages
from benchmarks.ingest import component_speed as components
from benchmarks.interactive import all_table, generated
from benchmarks.interactive import coverage as queried
from benchmarks.interactive import interactive_table as interactive
from benchmarks.interactive import results_form as form
from benchmarks.peers import peers
from benchmarks.questions import enter, explain, methods, methods_table
from benchmarks.server import fuzz, reliability, serve, soak
from benchmarks.sets import set_sizes as sets
from benchmarks.shared.results_file import Content, ResultsFile
from benchmarks.tracing import tracing, walks
from benchmarks.what_if import what_if
from benchmarks.workflows import dbt_edits, dbt_lineage, result_diff, workflowgen

DOCS = ROOT / "docs"
Table = tuple[str, str, str]
"""A page below `docs`, the name in the markers, and the text between them."""


def placed(text: str, name: str, between: str) -> str | None:
    """Return a page with ``between`` in place of the text between the markers of ``name``.

    Returns None if the text lacks these markers.
    """
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, begin, rest = text.partition(opening)
    _, end, after = rest.partition(closing)
    return f"{before}{begin}\n{between}\n{end}{after}" if end else None


def one(
    page: str, name: str, results: ResultsFile[Content], table: Callable[[Content], str]
) -> Table:
    """Return the table of a benchmark."""
    return page, name, table(results.read())


def pages() -> Iterator[Table]:
    """Yield all tables."""
    yield one("benchmarks.md", "methods", methods.RESULTS, methods_table.short)
    for name in summary.TABLES:
        yield "benchmarks.md", name, summary.table(name)
    yield from figures()
    for name, suite in captured.RESULTS.read().items():
        yield "capture-coverage.md", name, captured.table(suite)
    for name, outcomes in queried.RESULTS.read().items():
        yield "interactive-coverage.md", name, queried.table(outcomes)
    if generated.RESULTS.path.exists():
        yield one("interactive-coverage.md", "generated", generated.RESULTS, generated.table)
    yield one("reliability.md", "rounds", reliability.RESULTS, reliability.table)
    yield one("reliability.md", "soak", soak.RESULTS, soak.table)
    yield one("reliability.md", "fuzz", fuzz.RESULTS, fuzz.table)
    yield "capacity.md", "ingest", capacity.table()
    yield "capacity.md", "graphs", capacity.graphs()
    found = sets.RESULTS.read()
    yield "sets.md", "paper", sets.pictures(found["paper"])
    if found["flights"]:
        yield "sets.md", "flights", sets.pictures(found["flights"])


def figures() -> Iterator[Table]:
    """Yield the tables of `docs/figures`."""
    yield one("figures/ingest.md", "components", components.RESULTS, components.tables)
    yield one("figures/ingest.md", "ingest", ingest.RESULTS, ingest.tables)
    yield one("figures/ingest.md", "builds", builds.RESULTS, builds.table)
    yield one("figures/sets.md", "sets", sets.RESULTS, sets.tables)
    yield one("figures/questions.md", "methods", methods.RESULTS, methods_table.tables)
    yield one("figures/questions.md", "explain", explain.RESULTS, explain.table)
    yield "figures/peers.md", "peers", peers.tables(peers.RESULTS.read()["1"])
    yield one("figures/peers.md", "peers by size", peers.RESULTS, peers.sizes)
    yield one("figures/server.md", "serve", serve.RESULTS, serve.table)
    yield one("figures/server.md", "enter", enter.RESULTS, enter.table)
    yield one("figures/capture.md", "capture", overhead.RESULTS, overhead.tables)
    yield one("figures/capture.md", "capture TPC-DS", tpcds.RESULTS, tpcds.table)
    yield one("figures/capture.md", "programs", programs.RESULTS, programs.table)
    yield one("figures/capture.md", "capture nights", nights.RESULTS, nights.table)
    yield one("figures/capture.md", "capture memory", memory.RESULTS, memory.table)
    if versions.RESULTS.path.exists():
        yield one("figures/capture.md", "capture versions", versions.RESULTS, versions.table)
    yield one("figures/tracing.md", "tracing", walks.RESULTS, tracing.tables)
    yield one("figures/interactive.md", "interactive", form.RESULTS, interactive.table)
    yield one("figures/interactive.md", "interactive all", all_table.RESULTS, all_table.table)
    yield one("figures/equivalence.md", "equivalence", pairs.RESULTS, pairs.table)
    yield one("figures/equivalence.md", "proofs in Spark", in_spark.RESULTS, in_spark.sentence)
    yield one("figures/equivalence.md", "edits", edits.RESULTS, edits.table)
    yield one("figures/what-if.md", "what-if", what_if.RESULTS, what_if.tables)
    yield one("figures/linked-views.md", "crossfilter", crossfilter.RESULTS, crossfilter.table)
    yield one("figures/workflows.md", "workflowgen", workflowgen.RESULTS, workflowgen.tables)
    yield one("storage.md", "storages", storages.RESULTS, storages.table)
    yield one("spark-versions.md", "versions", spark_versions.RESULTS, spark_versions.table)
    yield one("dbt.md", "dbt edits", dbt_edits.RESULTS, dbt_edits.tables)
    yield one("dbt-lineage.md", "dbt lineage", dbt_lineage.RESULTS, dbt_lineage.table)
    yield one("revisions.md", "result diff", result_diff.RESULTS, result_diff.tables)
    yield one("pandas.md", "frames", frames_speed.RESULTS, frames_speed.table)


def main() -> None:
    """Write all tables into the pages. Exit if a page lacks the markers of a table."""
    for name, marker, between in pages():
        page: Path = DOCS / name
        updated = placed(page.read_text(encoding="utf-8"), marker, between)
        if updated is None:
            sys.exit(f"{name} lacks the markers <!-- {marker} --> and <!-- /{marker} -->")
        page.write_text(updated, encoding="utf-8")


if __name__ == "__main__":
    main()

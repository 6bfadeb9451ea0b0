"""Turn the results of `crossfilter.py` into Markdown."""

from collections.abc import Iterator

from benchmarks.charts.form import Data, Drawn, OneRun, Results, Spread
from benchmarks.shared.markup import bars, cores, grid

SECTION = """\
## Linked views
`make bench-crossfilter` moves one brush in each view, alone and with one or two others in other
views, and measures the time until the bars of all views are computed. SQL in DuckDB runs one query
for each view. The synthetic data has the numbers of bars of Smoke's example; it is not real.

"""
SMALL = 20_000_000
"""Up to this many rows, the goals of ten million rows count."""


def table(results: Results) -> str:
    """Return the tables of all runs, and the goals."""
    return "\n\n".join(part for run in results["runs"] for part in _parts(run))


def _parts(run: OneRun) -> Iterator[str]:
    yield (
        f"{run['rows']:,} rows, {cores(run['machine'])}, load before {run['load']}. One thread"
        f" reads {run['bandwidth']} GB/s."
    )
    for data in run["data"]:
        numbers = ", ".join(f"{view} {number:,}" for view, number in data["bars"].items())
        memory = ", ".join(f"{way} {size / 1e6:,.0f} MB" for way, size in data["bytes"].items())
        yield (
            f"**{data['name']}** (bars: {numbers}). Memory: {memory}. At this bandwidth, a scan of"
            f" all views takes at least {data['read_ms']:.3g} ms."
        )
        ways = list(dict.fromkeys(spread["way"] for spread in data["spreads"]))
        yield grid(
            ("brushes", "moved", *(f"{way}, p50 / p95 / max ms" for way in ways)), _rows(data)
        )
        yield "From a movement of the mouse in Chromium to the frame that shows it, ms:"
        yield grid(("moved", "brushes", "frames", "p50", "p95", "max"), map(_drawn, data["drawn"]))
        yield bars(_goals(data, run["rows"] <= SMALL))


def _rows(data: Data) -> list[tuple[str, ...]]:
    cells: dict[tuple[str, str], list[str]] = {}
    for one in data["spreads"]:
        times = " / ".join(f"{one['p50']:.3g} {one['p95']:.3g} {one['max']:.3g}".split())
        cells.setdefault((str(one["brushes"]), one["view"]), []).append(times)
    return [(*key, *of) for key, of in cells.items()]


def _drawn(one: Drawn) -> tuple[str, ...]:
    times = (f"{one['p50']:.3g}", f"{one['p95']:.3g}", f"{one['max']:.3g}")
    return (one["view"], str(one["brushes"]), str(one["frames"]), *times)


def _goals(data: Data, small: bool) -> dict[str, bool]:
    ours = [spread for spread in data["spreads"] if spread["way"] == "provhouse"]
    one, more = ([s for s in ours if (s["brushes"] == 1) == alone] for alone in (True, False))
    slowest = max(each["max"] for each in data["drawn"])
    if not small:
        return _goal("every brush at most 150 ms", "max", ours, 150)
    return {
        **_goal("one brush at most 5 ms", "max", one, 5),
        **_goal("two or three: p95 at most 16 ms", "p95", more, 16),
        **_goal("two or three: at most 50 ms", "max", more, 50),
        f"drawn at most 100 ms after a movement ({slowest:.3g})": slowest <= 100,
    }


def _goal(text: str, of: str, spreads: list[Spread], limit: float) -> dict[str, bool]:
    worst = max(spreads, key=lambda spread: spread[of])  # type: ignore[literal-required]
    value = worst[of]  # type: ignore[literal-required]
    return {f"{text} ({value:.3g}, {worst['view']})": value <= limit}

"""Pieces of Markdown that the tables of several benchmarks share."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from benchmarks.shared.results_file import Machine

WORDS = {"upstream": "lineage", "downstream": "impact"}
Row = Sequence[str]


def grid(head: Row, rows: Iterable[Row], left: Collection[int] = (0,)) -> str:
    """Return a Markdown table. The columns whose positions are in ``left`` are aligned left."""
    rule = ["---" if column in left else "---:" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def bars(kept: Mapping[str, bool]) -> str:
    """Return a Markdown list of targets, which shows whether each was met."""
    return "\n".join(f"- {name}: {'yes' if met else '**no**'}" for name, met in kept.items())


def cores(machine: Machine) -> str:
    """Return the number and kind of a machine's cores."""
    return f"{machine['cores']} cores ({machine['cpu']})"


def duration(seconds: float) -> str:
    """Return a time with about two significant digits."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    if seconds < 0.0001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def outcomes(counts: Mapping[str, int], meaning: Mapping[str, str]) -> str:
    """Return how many queries have each outcome, such as "22 queries: 21 exact, 1 superset"."""
    found = ", ".join(f"{counts[each]} {words}" for each, words in meaning.items() if counts[each])
    return f"{sum(counts.values())} queries: {found}"


def total(queries: Iterable[Mapping[str, object]], name: str) -> int:
    """Return the sum of a numeric field over the queries that have this field."""
    return sum(int(str(each.get(name, 0))) for each in queries)

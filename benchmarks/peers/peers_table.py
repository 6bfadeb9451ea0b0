"""Turn the results of `peers.py` into Markdown tables."""

from collections.abc import Iterator
from typing import Literal

from benchmarks.peers.peers_form import Compared, ContenderFigures, PeersClass, Results
from benchmarks.shared.markup import WORDS, Row, cores, grid
from benchmarks.shared.results import ResultsFile

RESULTS = ResultsFile[Results]("peers.json")


def tables(results: Compared) -> str:
    """Return a note on the run, a list of the classes, and tables of costs and times."""
    succeeded = {name: each for name, each in results["contenders"].items() if each}
    failed = [f"{name}: failed." for name, each in results["contenders"].items() if not each]
    parts = [
        note(results),
        "\n".join(map(described, results["classes"])),
        grid(
            ("", "load", "memory", "disk"), (costs(name, each) for name, each in succeeded.items())
        ),
        *(timed(results, succeeded, direction) for direction in WORDS),
        *failed,
    ]
    return "\n\n".join(parts)


def note(results: Compared) -> str:
    """Return a note on the warehouse, the machine and the versions."""
    totals, ingest = results["warehouse"], results["ingest"]
    used = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    taken = (
        f" provhouse's own load, an ingest of CSV files with names, took"
        f" {ingest['wall_seconds']:.0f} s and {ingest['peak_memory_mb'] / 1000:.1f} GB."
        if ingest
        else ""
    )
    return (
        f"{totals['triples']:,} triples of {totals['items']:,} items on"
        f" {cores(results['machine'])}, load {results['load']} before, seed {results['seed']}, with"
        f" {used}.{taken}"
    )


def described(one: PeersClass) -> str:
    """Return a list item that describes a class of questions."""
    where = "large components" if one["large"] else "small components"
    return (
        f"- {one['name']}, {WORDS[one['direction']]}: {one['asked']} asked, found among"
        f" {one['tried']:,} items of {where}; answers of {one['least']:,} to {one['most']:,} items,"
        f" median {one['items']:,.0f}."
    )


def costs(name: str, each: ContenderFigures) -> Row:
    """Return the table row with one contender's load time, memory and disk space."""
    seconds, memory, disk = each["load"], each["peak_memory_mb"], each["disk_bytes"]
    return name, f"{sum(seconds.values()):.1f} s", f"{memory:,} MB", f"{disk / 1e6:,.0f} MB"


def timed(results: Compared, succeeded: dict[str, ContenderFigures], direction: str) -> str:
    """Return a table of the times in one direction, with a column for each class."""
    places = [n for n, one in enumerate(results["classes"]) if one["direction"] == direction]
    late = f"over {results['limit']:g} s"

    def cells(each: ContenderFigures, which: Literal["seconds", "named"]) -> Iterator[str]:
        for place in places:
            found = each["took"][place][which]
            yield (
                f"{short_duration(found['p50'])} / {short_duration(found['p95'])}"
                if found
                else late
            )

    def rows() -> Iterator[Row]:
        for name, each in succeeded.items():
            yield name, *cells(each, "seconds")
            if any(each["took"][place]["named"] for place in places):
                yield f"{name}, with names and triples", *cells(each, "named")

    heads = (results["classes"][place]["name"] for place in places)
    return grid((f"{WORDS[direction].capitalize()}, p50 / p95", *heads), rows())


def short_duration(seconds: float) -> str:
    """Return a time with two significant digits."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{number(seconds * 1000)} ms"


def number(value: float) -> str:
    """Return a number with two significant digits, or a whole number if it is 10 or more."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"

"""The tables that tell what `peers.py` measured, as Markdown."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, cast

from peers_form import Class, Measured, Results

RESULTS = Path(__file__).parent / "results" / "peers.json"
WORDS = {"upstream": "Lineage", "downstream": "Impact"}
Row = Sequence[str]


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def tables(results: Results) -> str:
    """What all show, what it takes to hold the triples, and the times in each direction."""
    there = {name: each for name, each in results["contenders"].items() if each}
    failed = [f"{name}: failed." for name, each in results["contenders"].items() if not each]
    parts = [
        note(results),
        "\n".join(map(described, results["classes"])),
        grid(("", "load", "memory", "disk"), (costs(name, each) for name, each in there.items())),
        *(timed(results, there, direction) for direction in WORDS),
        *failed,
    ]
    return "\n\n".join(parts)


def note(results: Results) -> str:
    """What it ran on."""
    machine, held, ingest = results["machine"], results["warehouse"], results["ingest"]
    used = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    taken = (
        f" provhouse's own load, an ingest of CSV files with names, took"
        f" {ingest['wall_seconds']:.0f} s and {ingest['peak_memory_mb'] / 1000:.1f} GB."
        if ingest
        else ""
    )
    return (
        f"{held['triples']:,} triples of {held['items']:,} items on {machine['cores']} cores"
        f" ({machine['cpu']}), load {results['load']} before, seed {results['seed']}, with"
        f" {used}.{taken}"
    )


def described(one: Class) -> str:
    """What is asked in a class."""
    where = "large components" if one["large"] else "small components"
    return (
        f"- {one['name']}, {WORDS[one['direction']].lower()}: {one['asked']} asked, found among"
        f" {one['tried']:,} items of {where}; answers of {one['least']:,} to {one['most']:,} items,"
        f" median {one['items']:,.0f}."
    )


def grid(head: Row, rows: Iterator[Row]) -> str:
    """A Markdown table."""
    rule = ("---", *["---:"] * (len(head) - 1))
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def costs(name: str, each: Measured) -> Row:
    """What one contender needs before it answers."""
    seconds, memory, disk = each["load"], each["peak_memory_mb"], each["disk_bytes"]
    return name, f"{sum(seconds.values()):.1f} s", f"{memory:,} MB", f"{disk / 1e6:,.0f} MB"


def timed(results: Results, there: dict[str, Measured], direction: str) -> str:
    """The times of one direction, a column for each class."""
    places = [n for n, one in enumerate(results["classes"]) if one["direction"] == direction]
    late = f"over {results['limit']:g} s"

    def cells(each: Measured, which: Literal["seconds", "named"]) -> Iterator[str]:
        for place in places:
            found = each["took"][place][which]
            yield f"{lasted(found['p50'])} / {lasted(found['p95'])}" if found else late

    def rows() -> Iterator[Row]:
        for name, each in there.items():
            yield name, *cells(each, "seconds")
            if any(each["took"][place]["named"] for place in places):
                yield f"{name}, with names and triples", *cells(each, "named")

    heads = (results["classes"][place]["name"] for place in places)
    return grid((f"{WORDS[direction]}, p50 / p95", *heads), rows())


def lasted(seconds: float) -> str:
    """A time with two digits that count."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{number(seconds * 1000)} ms"


def number(value: float) -> str:
    """Two digits, or those before the point."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"

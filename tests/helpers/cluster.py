"""Compare what came out of a scenario on a cluster with an oracle."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from cluster_process import Result
from cluster_run import DIRECTIONS, METHODS, fingerprint

from helpers.oracle import Oracle, Triple
from provhouse.model.question import Method


def write(triples: Sequence[Triple], path: Path) -> str:
    """Write triples to a CSV file; return its path."""
    path.write_text("\n".join(",".join(row) for row in [Triple._fields, *triples]))
    return str(path)


def expected(triples: Sequence[Triple], items: Sequence[str]) -> list[str]:
    """Return the fingerprints of the right answers, as ``cluster_run`` prints them."""
    oracle = Oracle.of(triples)
    answers = [oracle.ask(item, direction) for item in items for direction in DIRECTIONS]
    return [fingerprint(answer.items, answer.triples) for answer in answers]


def check(
    results: Mapping[str, Result],
    when: str,
    right: Sequence[str],
    methods: Sequence[Method] = METHODS,
) -> None:
    """Compare the answers of some methods with the right ones."""
    for method in methods:
        assert results[f"{method}{when}"].value == right, (method, when)

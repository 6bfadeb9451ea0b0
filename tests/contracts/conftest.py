"""Fixtures of the contract tests: results made by hand, and a warehouse with contents.

All commands that write have been run on this warehouse. The golden files contain what users'
programs rely on, without texts for people. ``pytest --golden tests/contracts`` rewrites the files
after an intended change.
"""

from collections.abc import Callable

import pytest

from helpers.lived import Lived, live
from helpers.results import (
    all_erased,
    counts,
    cyclic,
    diff,
    empty,
    erased,
    explanation,
    filtered,
    finding,
    forgotten,
    generations,
    long,
    manifest,
    preview,
    pruned,
    report,
    retraction,
    small,
    status,
    summary,
    unmatched,
    way,
)
from helpers.warehouse import House

__all__ = [
    "all_erased",
    "counts",
    "cyclic",
    "diff",
    "empty",
    "erased",
    "explanation",
    "filtered",
    "finding",
    "forgotten",
    "generations",
    "lived",
    "long",
    "manifest",
    "preview",
    "pruned",
    "report",
    "retraction",
    "small",
    "status",
    "summary",
    "unmatched",
    "way",
]


@pytest.fixture(scope="session")
def lived(houses: Callable[..., House]) -> Lived:
    """A warehouse after all commands that write."""
    return live(houses(theta=4, pack=0, partition_triples=4), houses())

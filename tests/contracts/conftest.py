"""What the contracts are read from.

Golden files hold what programs of users rely on, not the words for people. After a change that is
meant to be seen by those programs, ``pytest --golden tests/contracts`` writes the files anew.
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
    """A warehouse that has been through the commands that write."""
    return live(houses(theta=4, pack=0, partition_triples=4), houses())

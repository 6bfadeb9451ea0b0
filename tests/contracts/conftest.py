"""A warehouse for the contract tests, on which all commands that write have been run.

The golden files contain what users' programs rely on, without texts for people. ``pytest --golden
tests/contracts`` rewrites the files after an intended change.
"""

from collections.abc import Callable

import pytest

from helpers.lived import Lived, live
from helpers.warehouse import House


@pytest.fixture(scope="session")
def lived(houses: Callable[..., House]) -> Lived:
    """A warehouse on which all commands that write have been run."""
    return live(houses(theta=4, pack=0, partition_triples=4), houses())

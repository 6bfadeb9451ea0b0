"""A warehouse for the contract tests, on which every command that writes has been run.

The golden files contain the output that users' programs rely on, but no text meant for people.
After an intended change, ``pytest --golden tests/contracts`` rewrites the files.
"""

from collections.abc import Callable

import pytest

from helpers.lived import Lived, live
from helpers.warehouse import House


@pytest.fixture(scope="session")
def lived(houses: Callable[..., House]) -> Lived:
    """A warehouse on which every command that writes has been run."""
    return live(houses(theta=4, pack=0, partition_triples=4), houses())

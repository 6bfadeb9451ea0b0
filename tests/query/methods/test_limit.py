"""If a level-by-level search exceeds the time limit, the error recommends CSProv."""

from collections.abc import Callable, Iterator

import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.model.errors import TooSlow
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Method, Question
from provhouse.query.lineage.ask import Asker

LENGTH = 3_000
"""The number of triples in a chain.

A search of the chain level by level takes many times as long as the limit.
"""


@pytest.fixture(scope="module")
def asker(houses: Callable[..., House]) -> Iterator[Asker]:
    """An ``Asker`` for the chain, with a copy of all triples that both methods use."""
    house = houses()
    house.ingest(Triple(str(n), str(n + 1)) for n in range(LENGTH))
    with house.asker() as opened:
        opened.answer(Question("1", "upstream", "rq"))
        yield opened


@pytest.mark.long
@pytest.mark.parametrize("method", ["rq", "ccprov"])
def test_a_chain_beyond_the_limit_is_for_csprov(asker: Asker, method: Method) -> None:
    with pytest.raises(TooSlow, match="takes longer than 1 seconds") as caught:
        asker.answer(Question(str(LENGTH), "upstream", method), Stopwatch(1))
    assert "csprov" in caught.value.remedy
    assert "Ask for less" not in caught.value.remedy
    found = asker.answer(Question(str(LENGTH), "upstream", "csprov"), Stopwatch(60))
    assert found.items.num_rows == LENGTH

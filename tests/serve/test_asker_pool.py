"""An asker is opened once for all its users, and other pool calls do not wait for the opening."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.query.lineage.ask import Asker
from provhouse.serve.asker_pool import AskerPool


class Opener:
    """A function that opens a warehouse's askers, each only after ``go`` is set."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.begun, self.go = Event(), Event()
        self.opened: list[Asker] = []

    def open(self, generation: int) -> Asker:
        self.begun.set()
        assert self.go.wait(20)
        asker = Asker(self._house.settings, Silent(), generation).__enter__()
        self.opened.append(asker)
        return asker


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    house = houses()
    house.ingest([Triple("a", "b", "", "", "")])
    return house


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def ask(pool: AskerPool, generation: int) -> int:
    with pool.asker(generation) as asker:
        return asker.snapshot.commit.generation


def test_others_do_not_wait_while_an_asker_is_opened(
    house: House, others: ThreadPoolExecutor
) -> None:
    opener = Opener(house)
    pool = AskerPool(opener.open)
    asked = [others.submit(ask, pool, 1) for _ in range(3)]
    assert opener.begun.wait(10)
    others.submit(pool.keep_only, [1]).result(5)  # the keeper does this twice a second
    opener.go.set()
    assert [one.result(20) for one in asked] == [1, 1, 1]
    assert len(opener.opened) == 1
    pool.drop()


def test_an_asker_that_is_dropped_while_it_is_opened_is_closed(
    house: House, others: ThreadPoolExecutor
) -> None:
    opener = Opener(house)
    pool = AskerPool(opener.open)
    asked = others.submit(ask, pool, 1)
    assert opener.begun.wait(10)
    pool.drop()
    opener.go.set()
    assert asked.result(20) == 1
    assert len(opener.opened) == 2
    pool.drop()


def test_a_generation_that_cannot_be_opened_is_tried_again(house: House) -> None:
    opener = Opener(house)
    opener.go.set()
    pool = AskerPool(opener.open)
    for _ in range(2):
        with pytest.raises(NotFound):
            ask(pool, 7)
    assert ask(pool, 1) == 1
    pool.drop()

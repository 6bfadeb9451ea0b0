"""The queue returns pairs of table groups in the order of their costs."""

from provhouse.sets.prices import STALE, Prices


def test_unknown_pairs_come_first_then_the_cheapest() -> None:
    prices = Prices([(0, 1), (1, 2)])
    prices.put((0, 2), 2.0, 3)
    prices.put((0, 3), 1.0, 4)
    assert prices.lowest() == 1.0
    popped = [prices.pop() for _ in range(len(prices))]
    assert popped == [((0, 1), STALE), ((1, 2), STALE), ((0, 3), 4), ((0, 2), 3)]
    assert not prices


def test_an_outdated_cost_is_ignored() -> None:
    prices = Prices([])
    for pair, cost in (((0, 1), 1.0), ((0, 2), 2.0), ((0, 3), 3.0)):
        prices.put(pair, cost, 1)
    prices.keep([(0, 2), (0, 3)])
    assert prices.lowest() == 2.0
    prices.forget([(0, 2)])
    assert prices.lowest() == 3.0
    assert [prices.pop() for _ in range(len(prices))] == [((0, 2), STALE), ((0, 3), 1)]
    assert prices.lowest() == float("inf")

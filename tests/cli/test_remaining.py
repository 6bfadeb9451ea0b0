"""The time that is left follows from what came after the first sign."""

from provhouse.cli.remaining import Remaining


def test_it_is_told_from_how_it_goes_on() -> None:
    step = Remaining()
    step.add(6.0, 0.1)
    assert step.whole() is None  # how long it took to begin says nothing
    step.add(8.0, 0.5)
    assert step.whole() == 10.5


def test_a_look_at_which_nothing_more_is_done_is_no_sign() -> None:
    step = Remaining()
    step.add(1.0, 0.1)
    step.add(2.0, 0.2)
    step.add(2.9, 0.2)
    assert step.whole() == 10.0

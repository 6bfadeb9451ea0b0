"""The names of the points at which a command can be cut off, and how one is armed."""

from collections.abc import Callable

from provhouse.model.faults import POINTS, VARIABLE


def test_points(golden: Callable[[str, str], None]) -> None:
    golden("faults.txt", "".join(f"{line}\n" for line in (f"variable {VARIABLE}", *sorted(POINTS))))

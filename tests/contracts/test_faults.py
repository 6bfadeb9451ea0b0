"""The names of fault points, and of the environment variable that arms them, stay the same."""

from collections.abc import Callable

from provhouse.model.fault_points import POINTS, VARIABLE


def test_fault_points_have_the_same_names(golden: Callable[[str, str], None]) -> None:
    golden("faults.txt", "".join(f"{line}\n" for line in (f"variable {VARIABLE}", *sorted(POINTS))))

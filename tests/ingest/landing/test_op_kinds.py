"""Captured operators that merge rows get the op kinds that what-if questions need."""

from pathlib import Path

import pytest

from provhouse.capturing.reading.tap_table import TapTable


@pytest.mark.parametrize(
    ("kind", "function", "expected"),
    [
        ("aggregate", "sum", "aggregate"),
        ("aggregate", "other", "aggregate"),
        ("aggregate", "", "any"),  # DISTINCT
        ("semi join", "", "any"),
        ("window", "", "aggregate"),
    ],
)
def test_the_kind_of_an_operator(kind: str, function: str, expected: str) -> None:
    tap = TapTable(kind, "", "", (), 0, "exact", False, Path(), function=function)
    assert tap.op_kind == expected

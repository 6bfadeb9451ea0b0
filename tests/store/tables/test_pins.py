"""File pins are added to the last pin file, in order."""

from dataclasses import replace
from pathlib import Path

import pytest

from provhouse.store.tables.pins import Pin, add_pins, read_pins
from provhouse.store.tables.registry import PINS, clear, state_of
from provhouse.store.warehouse.layout import Layout


def pin(number: int, low: int | None = None) -> Pin:
    return Pin("t", ("id",), Path(f"/data/{number}"), number, 7, low, low)


@pytest.mark.long
def test_pins_are_in_few_files_and_in_order(tmp_path: Path) -> None:
    layout, pins = Layout(tmp_path), [pin(number) for number in range(45)]
    for one in pins:
        add_pins(layout, [one])
        add_pins(layout, [one])  # the state in this pin is already stored
    assert read_pins(layout) == pins
    assert len(state_of(layout, PINS).files) < 15
    changed = replace(pins[0], bytes=99)
    add_pins(layout, [changed])
    assert read_pins(layout)[-1] == changed


def test_ranges_of_keys_are_added_later_and_forgotten(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    add_pins(layout, [pin(1), pin(2, low=20)])
    add_pins(layout, [pin(1, low=10), pin(2)])
    assert {one.path.name: one.low for one in read_pins(layout)} == {"1": 10, "2": 20}
    clear(layout, PINS)
    assert [one.low for one in read_pins(layout)] == [None, None]
    add_pins(layout, [pin(1, low=11)])
    assert {one.path.name: one.low for one in read_pins(layout)} == {"2": None, "1": 11}

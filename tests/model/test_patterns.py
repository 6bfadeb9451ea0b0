"""Table patterns are refused if two row IDs could get the same name."""

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.errors import UsageError
from provhouse.model.patterns import (
    Pattern,
    check_apart,
    declared_patterns,
    pattern_of,
    usual_pattern,
)

IDS = (*range(-12, 13), 100, 101, 110, 111, -11)
TEXTS = st.text("1-/ab", max_size=4)


def test_a_pattern_names_rows() -> None:
    declared = declared_patterns({"invoices": "INV-{id}", "t": "{table}#{id}/x"})
    assert pattern_of("invoices", declared).name("17") == "INV-17"
    assert pattern_of("t", declared).name("-1") == "t#-1/x"
    assert pattern_of("orders", declared).name("17") == "orders/17"


@pytest.mark.parametrize("text", ["INV", "{id}-{id}", "{id}{table}", ""])
def test_a_text_without_one_id_is_no_pattern(text: str) -> None:
    with pytest.raises(UsageError, match="is not a pattern of a table"):
        declared_patterns({"t": text})


@given(st.tuples(TEXTS, TEXTS), st.tuples(TEXTS, TEXTS))
def test_accepted_patterns_never_share_a_name(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Row IDs of the two tables, and of any table with the usual pattern, have different names."""
    patterns = {"a": Pattern(*one), "b": Pattern(*other)}
    try:
        check_apart(patterns)
    except UsageError:
        return
    names = {t: {patterns[t].name(str(number)) for number in IDS} for t in patterns}
    assert names["a"].isdisjoint(names["b"])
    for table, name in ((t, name) for t in patterns for name in names[t]):
        usual = re.fullmatch("(.+)/(0|-?[1-9][0-9]*)", name)
        assert not usual or usual[1] == table


@pytest.mark.parametrize(
    ("one", "other"),
    [("INV-{id}", "INV-{id}"), ("INV{id}", "INV1{id}"), ("x{id}", "x{id}0"), ("{id}", "-{id}")],
)
def test_patterns_that_share_names_are_refused(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        with pytest.raises(UsageError, match="may also have"):
            check_apart(declared_patterns({"a": first, "b": second}))


def test_a_pattern_like_the_usual_one_of_another_table_is_refused() -> None:
    for text in ("orders/{id}", "orders/1{id}", "s/t/{id}"):
        with pytest.raises(UsageError, match="may also have"):
            check_apart(declared_patterns({"t": text}))
    check_apart(declared_patterns({"t": "t/{id}", "u": "orders/u-{id}", "v": "orders/{id}/v"}))


def test_many_tables_with_usual_patterns_are_accepted() -> None:
    tables = [f"{a}/{b}" for a, b in product(range(100), repeat=2)]
    check_apart({table: usual_pattern(table) for table in tables})

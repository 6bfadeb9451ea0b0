"""Checks of the arguments that Python programs pass."""

from typing import Any

import pytest

from provhouse.checks import key_columns
from provhouse.model.errors import UsageError


@pytest.mark.parametrize("key", [3, None, ["a", 3], {"a"}])
def test_a_key_that_names_no_column_is_refused(key: Any) -> None:
    with pytest.raises(UsageError) as error:
        key_columns({"orders": key})
    assert error.value.wanted == "The key of orders names no column"
    assert 'keys={"orders": "id"}' in str(error.value)


def test_keys_are_a_column_or_several() -> None:
    assert key_columns({"a": "x", "b": ["x", "y"]}) == {"a": ("x",), "b": ("x", "y")}
    with pytest.raises(UsageError, match="The key of a is empty"):
        key_columns({"a": ""})

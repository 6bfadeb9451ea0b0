"""Helpers that tests of several folders share: the oracle, graphs, warehouses and their checks."""

import pytest

pytest.register_assert_rewrite("helpers.invariant", "helpers.warehouse")  # failures show values

"""Helpers for tests of several folders: the oracle, graphs, warehouses and checks of warehouses."""

import pytest

# so that failures show values
pytest.register_assert_rewrite("helpers.invariant", "helpers.warehouse")

"""Helpers for tests in several folders: oracles, graphs, warehouses and warehouse checks."""

import pytest

# so that failures show values
pytest.register_assert_rewrite("helpers.invariant", "helpers.warehouse")

"""What tests of several folders use: the oracle, graphs, warehouses and what must hold of them."""

import pytest

pytest.register_assert_rewrite("helpers.invariant", "helpers.warehouse")  # failures show values

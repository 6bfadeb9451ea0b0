"""Test functions that run in Python workers."""

import sys
from collections.abc import Callable
from typing import Any


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is pickled by value, because workers cannot import its file."""
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    register(sys.modules[function.__module__])
    return function

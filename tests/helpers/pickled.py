"""Functions of tests that run in Python workers."""

import sys
from collections.abc import Callable
from typing import Any


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is sent to the workers whole, because they cannot import its file."""
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    register(sys.modules[function.__module__])
    return function

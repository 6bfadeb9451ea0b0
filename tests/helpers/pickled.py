"""Functions of tests that Python workers run."""

import sys
from collections.abc import Callable
from typing import Any


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is sent to the workers as a whole, which cannot import this file."""
    from pyspark import cloudpickle

    register: Any = cloudpickle.register_pickle_by_value
    register(sys.modules[function.__module__])
    return function

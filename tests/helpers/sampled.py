"""Parameters of which ``make test`` uses only a sample."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(number: int, values: Iterable[Any]) -> list[Any]:
    """Return the parameters of a test. Keep one in ``number`` for ``make test``.

    A tuple has the values of several arguments.
    """
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            marks=[pytest.mark.long] * (at % number > 0),
        )
        for at, value in enumerate(values)
    ]

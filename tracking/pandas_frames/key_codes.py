"""Find the positions of values among distinct labels. All missing values count as equal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..row_links import Rows, own_rows


def label_positions(labels: Sequence[Any], values: Sequence[Any]) -> Rows:
    """Return, for each row of ``values``, the position of the equal label, or -1.

    Both arguments are sequences of columns, one for each part of a key. Values are compared as
    objects, since labels and values may have different types.
    """
    size = len(labels[0])
    codes = np.zeros(size + len(values[0]), np.int64)
    for label, value in zip(labels, values, strict=True):
        both = np.concatenate([_objects(label), _objects(value)])
        found, distinct = pd.factorize(both)  # -1 stands for every missing value
        codes = np.unique(codes * (len(distinct) + 1) + found + 1, return_inverse=True)[1]
    places = np.full(int(codes.max(initial=-1)) + 1, -1)
    places[codes[:size]] = own_rows(size)
    return places[codes[size:]]


def _objects(values: Any) -> Any:
    return np.asarray(values.astype(object), object)

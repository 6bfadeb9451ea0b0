"""Small random data frames with the kinds of values that differ between users."""

import numpy as np
import pandas as pd

KEYS = ("text", "category", "Int64", "float", "datetime", "boolean")
"""The types of key columns."""


def key_values(kind: str, size: int, rng: np.random.Generator) -> pd.Series:
    """Return values of a type with duplicates and missing values."""
    picked = rng.integers(0, 4, size)
    missing = rng.random(size) < 0.2
    if kind == "text":
        return pd.Series(np.array(["a", "b", "", "é"], object)[picked]).mask(missing, None)
    if kind == "category":
        found = pd.Series(np.array(["a", "b", "c", "d"], object)[picked]).mask(missing, None)
        return found.astype(pd.CategoricalDtype(["d", "c", "b", "a", "never"]))
    if kind == "Int64":
        return pd.Series(picked - 1, dtype="Int64").mask(missing, pd.NA)
    if kind == "float":
        return pd.Series(np.array([0.0, 0.1, -0.0, 5.0])[picked]).mask(missing)
    if kind == "datetime":
        times = pd.to_datetime(
            ["2024-01-01", "2024-02-29", "1999-12-31", "2024-01-01 12:00"], format="mixed"
        )
        return pd.Series(times[picked]).mask(missing)
    return pd.Series(picked > 1, dtype="boolean").mask(missing, pd.NA)


def frame(seed: int, size: int, kind: str = "text") -> pd.DataFrame:
    """Return a frame: key ``k``, numbers ``v`` and ``n``, strings ``s``, times ``t``, flags."""
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "k": key_values(kind, size, rng),
            "v": pd.Series(rng.integers(-5, 20, size) / 2.0, dtype=float).mask(
                rng.random(size) < 0.2
            ),
            "n": pd.Series(rng.integers(0, 9, size), dtype="Int64").mask(
                rng.random(size) < 0.2, pd.NA
            ),
            "s": key_values("text", size, rng),
            "t": key_values("datetime", size, rng),
            "flag": rng.random(size) < 0.5,
        }
    )
    return found.set_axis(rng.permutation(size) + 100)

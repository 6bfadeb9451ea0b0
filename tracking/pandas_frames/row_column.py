"""The hidden column of row numbers, which shows from where pandas has moved each row."""

import pandas as pd

from ..refusals import untracked
from ..row_links import own_rows

ROW = "__provhouse_row"
"""A hidden column of row numbers, which pandas moves along with the rows."""


def check_columns(value: pd.DataFrame) -> None:
    """Raise NotTracked for multi-level columns, duplicate names, or provhouse's hidden names."""
    if isinstance(value.columns, pd.MultiIndex):
        raise untracked(
            "columns with a MultiIndex", "", "Name the columns, as in agg(total=('amount', 'sum'))"
        )
    if not value.columns.is_unique:
        name = value.columns[value.columns.duplicated()][0]
        raise untracked(f"a frame with two columns {name!r}", "", "Rename one of them")
    for name in value.columns:
        if isinstance(name, str) and name.startswith("__provhouse"):
            raise untracked(f"a column {name!r}", "The name is reserved", "Rename the column")


def with_rows(value: pd.DataFrame, name: str = ROW) -> pd.DataFrame:
    """Return a shallow copy of a data frame with the hidden column of row numbers."""
    found = value.copy(deep=False)
    found[name] = own_rows(len(value))
    return found

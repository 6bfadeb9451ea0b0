"""The rows that a Cypher query returns."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from provhouse.output.results.cypher_rows import RowsResult
from provhouse.output.sections import Section
from provhouse.runtime.packages import package

from .html import Displayed


@dataclass(frozen=True)
class Records(Displayed):
    """The result of a query. Values are strings, numbers, booleans, None, lists and dicts."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame; raise Unavailable if pandas is not installed.

        >>> query = "MATCH (t:Table {warehouse: $warehouse}) RETURN t.name AS name ORDER BY name"
        >>> warehouse.cypher(query).to_pandas()["name"].tolist()
        ['invoices', 'orders', 'prices', 'revenue']
        """
        return package("pandas").DataFrame(self.rows, columns=list(self.columns))

    def _sections(self) -> Iterator[Section]:
        return RowsResult(self.columns, self.rows).text()

"""Records of a table, identified by their rids: the answer to a lineage query."""

from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa

from provhouse.model.errors import UsageError
from provhouse.runtime.packages import package
from provhouse.sql.catalog import TablePlace

from .index.rid_indexes import Rows
from .notebook import SHOWN, html_table
from .record_queries import answered, over
from .table_states import TableStates

if TYPE_CHECKING:
    from .session_state import Session


class Records:
    """Distinct records of one table, read when they are needed.

    A read raises UsageError if a table has changed since the records were found.
    """

    def __init__(
        self, con: "Session", table: TablePlace, rids: Rows, snapshot: TableStates
    ) -> None:
        self._con, self._snapshot = con, snapshot
        self.table = table
        self.rids = rids
        """The row numbers of the records, DuckDB's ``rowid``, in ascending order."""

    def __len__(self) -> int:
        return int(self.rids.size)

    def __repr__(self) -> str:
        return f"<Records of {self.table.name}: {len(self):,}>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        first = Records(self._con, self.table, self.rids[:SHOWN], self._snapshot)
        return html_table(first.to_arrow(), len(self))

    def to_arrow(self) -> pa.Table:
        """Return the records in the order of their rids."""
        with self._con.lock:
            self._check()
            return self._scanned("select * from records", "order by rowid")

    def to_pandas(self) -> Any:
        """Return the records as a pandas data frame. Raises Unavailable without pandas."""
        package("pandas")
        return self.to_arrow().to_pandas()

    def sql(self, query: str) -> pa.Table:
        """Run a query that reads these records as ``records``, such as an aggregate of them."""
        with self._con.lock:
            self._check()
            _check_query(self._con, query)
            found = answered(self._con, self.table, self.rids, query)
            if found is None:
                return self._scanned(query)
            self._con.memory.settle()
            return found

    def _check(self) -> None:
        self._snapshot.check("The records can no longer be read", "Ask for them again")

    def _scanned(self, query: str, order: str = "") -> pa.Table:
        """Run a query in DuckDB, which finds the records in the table by itself."""
        rows, end = self._con.extent(self.table)
        dense = rows == end and self.rids.size * DENSE > rows
        self._con.duckdb.register(RIDS, self._mask(rows) if dense else self._list())
        try:
            chosen = self._dense() if dense else f"{self._sparse()} {order}"
            return self._con.duckdb.sql(over(chosen, query)).to_arrow_table()
        finally:
            self._con.duckdb.unregister(RIDS)

    def _list(self) -> pa.Table:
        return pa.table({"rid": self.rids})

    def _sparse(self) -> str:
        return f"select * from {self.table.sql()} where rowid in (select rid from {RIDS})"

    def _mask(self, rows: int) -> pa.Table:
        """Return a mask with a row for each row of the table: 1 for records, 0 for other rows."""
        mask = np.zeros(rows, np.uint8)  # Arrow's booleans are bits, which take longer to make
        mask[self.rids] = 1
        return pa.table({"rid": mask})

    def _dense(self) -> str:
        """Return the SQL for the records, which reads the table together with the mask."""
        return f"select t.* from {self.table.sql()} t positional join {RIDS} m where m.rid = 1"


def _check_query(con: "Session", query: str) -> None:
    """Raise UsageError unless ``text`` is a single query; raise DuckDB's own error if invalid."""
    found = con.duckdb.extract_statements(over("select 1", query))
    if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
        raise UsageError(
            "Only a single query can read the records", "The text is another statement, or several",
            "Run other statements with execute()",
        )  # fmt: skip


RIDS = "__provhouse_rids"
DENSE = 400
"""If more than one in this many rows of the table is a record, a mask selects the records.

This takes less time than a join with the rids.
"""

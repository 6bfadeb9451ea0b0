"""Records of a table, by their rids: the answer to a lineage query."""

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .catalog import Place
from .links import Rows
from .snapshot import Snapshot

if TYPE_CHECKING:
    from .connection import Connection


class Records:
    """Distinct records of one table, read when they are needed.

    Reading them raises UsageError if a table has changed since they were found.
    """

    def __init__(self, con: "Connection", table: Place, rids: Rows, snapshot: Snapshot) -> None:
        self._con, self._snapshot = con, snapshot
        self.table = table
        self.rids = rids
        """Their row numbers, DuckDB's ``rowid``, in ascending order."""

    def __len__(self) -> int:
        return int(self.rids.size)

    def to_arrow(self) -> pa.Table:
        """Return the records in the order of their rids."""
        return self.sql("select * from records")

    def to_pandas(self) -> Any:
        """Return the records as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def sql(self, query: str) -> pa.Table:
        """Run a query in which ``records`` are these records, such as an aggregate of them."""
        with self._con.lock:
            self._snapshot.check("The records can no longer be read", "Ask for them again")
            self._con.duckdb.register(RIDS, pa.table({"rid": self.rids}))
            chosen = f"select rid from {RIDS}"
            text = f"""with records as (
                select * from {self.table.sql()} where rowid in ({chosen}) order by rowid
            ) {query}"""
            found = self._con.duckdb.sql(text).to_arrow_table()
            self._con.duckdb.unregister(RIDS)
        return found


RIDS = "__provhouse_rids"

"""The states of tables at one moment, for later checks that they have not changed."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace

if TYPE_CHECKING:
    from .session_state import Session


class TableStates:
    """A snapshot of tables whose row numbers were read: they are valid until a table changes.

    Raises UsageError if the file behind one of the tables has changed since it was read.
    """

    def __init__(self, con: "Session", tables: Iterable[TablePlace]) -> None:
        self._con = con
        self._tables = tuple(dict.fromkeys(tables))
        con.check_sources(self._tables)
        self._states = con.states(self._tables)
        self._version = con.version

    def check(self, what: str, remedy: str) -> None:
        """Raise UsageError if a table or its file has changed. ``what`` states the consequence."""
        with self._con.lock:
            self._con.check_sources(self._tables)
            if self._con.states(self._tables) != self._states:
                self._con.read_again()
            if self._version == self._con.version:
                return
        raise UsageError(
            what, "A table has changed, so its row numbers may have changed too", remedy
        )

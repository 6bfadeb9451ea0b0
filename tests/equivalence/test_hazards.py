"""A hazard, which is a pair of similar queries, is never called equal.

On the rows of the hazard, the results of its two queries differ. A hazard without rows is a query
whose results may differ between two runs.
"""

from collections import Counter

import duckdb
import pytest

from helpers.hazards import DDL, HAZARDS, ROWS, Hazard, ddl_of_other
from helpers.sampled import one_in
from provhouse.equivalence.verdict import Revision, compare

OVERFLOW: tuple[list[tuple[str, str]], Counter[str]] = ([], Counter({"overflow": 1}))
"""The result of a query that fails with an overflow."""
WITH_ROWS = {name: hazard for name, hazard in HAZARDS.items() if hazard.rows is not None}


@pytest.mark.parametrize("hazard", one_in(6, HAZARDS.values()), ids=HAZARDS)
def test_a_hazard_is_not_called_equal(hazard: Hazard) -> None:
    ddl = [DDL + hazard.ddl, DDL + ddl_of_other(hazard)]
    found = compare(Revision(hazard.one, ddl[0]), Revision(hazard.other, ddl[1]))
    if found.kind == "equal" and found.proof:  # equal unless an error ends one of them
        assert any(each.startswith("no error in") for each in found.proof.assumptions)
        assert OVERFLOW in (
            _result(hazard.one, hazard.ddl, hazard.rows or ""),
            _result(hazard.other, ddl_of_other(hazard), hazard.rows or ""),
        )
        return
    assert not found.kind.startswith("equal"), found


@pytest.mark.parametrize("hazard", one_in(6, WITH_ROWS.values()), ids=WITH_ROWS)
def test_the_results_of_a_hazard_differ(hazard: Hazard) -> None:
    one = _result(hazard.one, hazard.ddl, hazard.rows or "")
    assert one != _result(hazard.other, ddl_of_other(hazard), hazard.rows or "")


def _result(text: str, ddl: str, rows: str) -> tuple[list[tuple[str, str]], Counter[str]]:
    with duckdb.connect(config={"threads": 1}) as con:
        for each in (DDL, rows if rows == ROWS else "", ddl, "" if rows == ROWS else rows):
            _execute(con, each)
        try:
            done = con.execute(text)
        except duckdb.OutOfRangeException:
            return OVERFLOW
        assert done.description is not None
        shape = [(name, str(type_)) for name, type_, *_ in done.description]
        return shape, Counter(map(repr, done.fetchall()))


def _execute(con: duckdb.DuckDBPyConnection, statements: str) -> None:
    if statements.strip():
        con.execute(statements)

"""Pairs of queries for judging containment: random data confirms each pair's stated kind."""

from collections import Counter

import duckdb
import pytest

from helpers.contained import CASES, DDL, Edited
from helpers.falsify import RandomContents, has_values
from helpers.rewritten.schema import schema_of
from helpers.sampled import one_in

DATABASES = 40


def test_there_are_thirty_pairs() -> None:
    assert len(CASES) == 30
    kinds = Counter(case.kind for case in CASES.values())
    assert kinds == {"filter of stored": 16, "stored plus delta": 10, "not contained": 4}


@pytest.mark.parametrize("case", one_in(6, CASES.values()), ids=CASES)
def test_the_kind_of_a_pair_is_seen_in_random_data(case: Edited) -> None:
    contents = RandomContents(schema_of(DDL), (case.stored, case.edited), 5)
    with contents.con:
        gone = new = with_rows = 0
        for _ in range(DATABASES):
            contents.fill()
            stored, edited = contents.rows(case.stored), contents.rows(case.edited)
            with_rows += has_values(edited)
            if case.kind == "filter of stored":
                edited = _rows_of_stored_columns(contents.con, case, edited)
            gone += bool(stored - edited)
            new += bool(edited - stored)
    assert with_rows >= 2
    if case.kind == "filter of stored":
        assert (gone > 0, new) == (True, 0)
    if case.kind == "stored plus delta":
        assert new > 0


def _rows_of_stored_columns(
    con: duckdb.DuckDBPyConnection, case: Edited, edited: Counter[tuple[str, ...]]
) -> Counter[tuple[str, ...]]:
    """Return the rows of the edited query, with all columns of the stored result."""
    names = [
        [each[0] for each in con.execute(q).description or ()] for q in (case.stored, case.edited)
    ]
    if names[0] == names[1]:
        return edited
    assert set(names[1]) < set(names[0])
    whole = case.edited.replace(", ".join(names[1]), ", ".join(names[0]), 1)
    return Counter(tuple(map(str, row)) for row in con.execute(whole).fetchall())

"""Generated SQL from the whole grammar; its lineage is checked by running the SQL again.

A failure prints the seed and the SQL text. `python -m helpers.adversarial.run --first SEED --texts
1 --shrink`, in the folder `tests`, runs the query again and shortens it.
"""

from collections import Counter

import pytest

from helpers.adversarial.run import Tried, tried

REFUSED = 0.05
"""The largest share of queries that may be refused, among those that DuckDB can run."""
TEXTS = 1_000


def run(first: int, texts: int, most: int) -> None:
    """Try generated queries; fail unless few of them are refused and most return rows."""
    print(f"seeds {first} to {first + texts - 1}")
    found = list(tried(first, texts, most))
    wrong = [each for each in found if each.outcome.kind == "wrong"]
    assert not wrong, "\n".join(map(_told, wrong))
    kinds = Counter(each.outcome.kind for each in found)
    ran = texts - kinds["invalid"]
    assert ran > 0.8 * texts, kinds
    refused = [each for each in found if each.outcome.kind == "refused"]
    assert len(refused) <= REFUSED * ran, "\n".join(map(_told, refused))
    with_rows = sum(each.outcome.rows > 0 for each in found)
    assert with_rows > 0.55 * ran, (with_rows, ran)


def _told(each: Tried) -> str:
    return f"seed {each.seed}: {each.outcome.why}\n    {each.sql}"


@pytest.mark.parametrize("texts", [30, pytest.param(500, marks=pytest.mark.long)])
def test_lineage_of_generated_texts(texts: int) -> None:
    run(0, texts, most=1)


def test_an_internal_error_of_duckdb_is_a_refusal() -> None:
    (found,) = tried(13_836, 1)
    assert found.outcome.kind == "refused", found.outcome.why
    assert "DuckDB ends with an internal error" in found.outcome.why


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 21 * TEXTS, TEXTS))
def test_lineage_of_21_000_generated_texts(first: int) -> None:
    run(first, TEXTS, most=3)

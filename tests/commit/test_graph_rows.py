"""Lists of strings on nodes and relationships are short enough for one block of Neo4j."""

import pyarrow as pa
import pytest

from provhouse.commit.few import few, few_of_each


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ([], None),
        (["", ""], None),
        (["b", "", "a"], ["a", "b"]),
        ([f"{n:02}" for n in range(12)], [f"{n:02}" for n in range(12)]),
        ([f"{n:02}" for n in range(13)], [*(f"{n:02}" for n in range(12)), "…"]),
        ([f"step_{n:02}" for n in range(40)], [*(f"step_{n:02}" for n in range(9)), "…"]),
        (["a" * 200, "b", "c"], ["a" * 200, "b", "c"]),
        (["a" * 200, "b", "c", "d"], ["a" * 200, "b", "c", "…"]),
    ],
)
def test_lists_are_short(texts: list[str], shown: list[str] | None) -> None:
    assert few(texts) == shown


@pytest.mark.parametrize(
    ("ops", "shown"),
    [
        (["bill", "price"], "bill, price"),
        (["q13: aggregate by c_name"], "q13: aggregate by c_name"),
        (["q13: aggregate by customer"], "q13: aggregate by cust..."),
        (["sum", "q13: aggregate by customer"], "q13: aggregate by cust..."),
        (["größe größe größe größe"], "größe größe größ..."),
        (None, None),
    ],
)
def test_ops_of_a_dependency_and_tables_of_a_set_take_at_most_25_bytes(
    ops: list[str] | None, shown: str | None
) -> None:
    lists = pa.chunked_array([pa.array([ops], pa.list_(pa.string()))])
    (found,) = few_of_each(lists).to_pylist()
    assert found == (None if shown is None else [shown])
    assert len((shown or "").encode()) <= 25

"""Lists of strings on nodes and relationships are short enough for one block of Neo4j."""

import pytest

from provhouse.commit.few import few


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

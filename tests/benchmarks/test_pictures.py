"""Pictures show which tables share sets, and how many sets and triples questions read."""

import numpy as np
import pytest

from benchmarks.sets.cuts import Large
from benchmarks.sets.pictures import Picture, drawn
from benchmarks.sets.set_sizes import MOST_GROUPS, mermaid


def picture() -> Picture:
    """Return the picture of three tables a, b and c. Of these, a and b share sets.

    Table b derives from a, and c derives from b.
    """
    src, dst = np.array([[0, 2], [0, 3], [1, 4], [1, 5], [2, 6], [3, 6], [4, 7], [5, 7], [2, 7]]).T
    graph = Large(
        src.astype(np.int32),
        dst.astype(np.int32),
        np.array([0, 0, 1, 1, 1, 1, 2, 2], np.int32),
        np.zeros(8, np.int32),
    )
    label = np.array([1, 0, 1, 1, 0, 0, 3, 2], np.int32)
    (only,) = drawn(graph, label, ["a", "b", "c"], np.array([2, 7]))
    return only


@pytest.mark.long
def test_tables_that_share_sets_are_a_group() -> None:
    drawn = picture()
    assert (drawn["items"], drawn["triples"]) == (8, 9)
    assert [group["tables"] for group in drawn["groups"]] == [{"a": 2, "b": 4}, {"c": 2}]
    assert [group["sets"] for group in drawn["groups"]] == [2, 2]
    assert drawn["derivations"] == [("a", "b"), ("b", "c")]


@pytest.mark.long
def test_a_group_has_its_mean_reads() -> None:
    """Each mean is taken over two questions: one about item 2 (in b), one about item 7 (in c)."""
    above, below = picture()["groups"]
    assert (above["sets_read"], above["triples_read"]) == (1.5, 3)
    assert (below["sets_read"], below["triples_read"]) == (0.5, 1.5)


def test_the_diagram_has_every_table_and_derivation() -> None:
    text = mermaid(picture())
    assert text.startswith("```mermaid\nflowchart LR\n")
    assert "<b>a, b</b><br/>6 items in 2 sets" in text
    assert "  g0 --> g1\n" in text
    assert "g1 --> g0" not in text


def test_too_many_groups_become_a_sentence() -> None:
    drawn = picture()
    drawn["groups"] = drawn["groups"][:1] * (MOST_GROUPS + 1)
    assert f"make {2 * (MOST_GROUPS + 1)} sets" in mermaid(drawn)

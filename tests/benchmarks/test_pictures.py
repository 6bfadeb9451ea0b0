"""Pictures show which tables lie in sets together, and what a question reads of them."""

import numpy as np
from cuts import Large
from pictures import drawn
from sets_form import Picture
from sets_table import MOST_GROUPS, mermaid


def picture() -> Picture:
    """Two of b from one of a, one of c from both; a and b lie in sets together, c alone."""
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


def test_tables_that_lie_in_sets_together_are_a_group() -> None:
    drawn = picture()
    assert (drawn["items"], drawn["triples"]) == (8, 9)
    assert [group["tables"] for group in drawn["groups"]] == [{"a": 2, "b": 4}, {"c": 2}]
    assert [group["sets"] for group in drawn["groups"]] == [2, 2]
    assert drawn["derivations"] == [("a", "b"), ("b", "c")]


def test_a_group_tells_what_is_read_of_it() -> None:
    """An item of b reads its set, of two triples; one of c both sets above it, and its own."""
    above, below = picture()["groups"]
    assert (above["sets_read"], above["triples_read"]) == (1.5, 3)
    assert (below["sets_read"], below["triples_read"]) == (0.5, 1.5)


def test_the_diagram_names_every_table_and_what_leads_where() -> None:
    text = mermaid(picture())
    assert text.startswith("```mermaid\nflowchart LR\n")
    assert "<b>a, b</b><br/>6 items in 2 sets" in text
    assert "  g0 --> g1\n" in text
    assert "g1 --> g0" not in text


def test_what_tables_do_not_tell_is_said_in_a_sentence() -> None:
    drawn = picture()
    drawn["groups"] = drawn["groups"][:1] * (MOST_GROUPS + 1)
    assert f"make {2 * (MOST_GROUPS + 1)} sets" in mermaid(drawn)

"""For each nesting level of the splits, each table gets one number."""

from provhouse.sets.split_arrays import Split, restricted, split_codes, tables_of

SPLITS: list[Split] = [["raw", "weather"], [["a", "b"], ["c"]]]


def test_each_level_numbers_the_splits() -> None:
    first, second = split_codes(SPLITS, ["", "raw", "weather", "a", "b", "c"])
    assert first.tolist() == [-1, 0, 0, 1, 1, 1]
    assert second.tolist() == [-1, -1, -1, 0, 0, 1]


def test_missing_tables_and_empty_splits_are_left_out() -> None:
    assert list(tables_of(SPLITS)) == ["raw", "weather", "a", "b", "c"]
    assert restricted(SPLITS, {"raw", "b"}) == [["raw"], [["b"]]]
    assert restricted(SPLITS, {"weather"}) == [["weather"]]
    assert restricted(SPLITS, set()) == []

"""A splits file must be valid, and must contain each table of the items exactly once."""

from pathlib import Path

import pytest

from provhouse.ingest.splits import check_splits, read_splits
from provhouse.model.errors import BadInput


def test_splits_may_have_sub_splits(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('one = ["raw", "weather"]\ntwo = [["a", "b"], ["c"]]\n', encoding="utf-8")
    splits = read_splits(path)
    assert splits == [["raw", "weather"], [["a", "b"], ["c"]]]
    check_splits(path, splits, ["", "raw", "weather", "a", "b", "c"])


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        ('a = ["x"]\nb = ["x", "y"]', "names x twice"),
        ('a = ["x", ["y"]]', "is neither a list of tables"),
        ('a = "x"', "is neither a list of tables"),
        ("a = []", "is neither a list of tables"),
        ("a = [1]", "is neither a list of tables"),
        ("a = [", "is not valid TOML"),
    ],
)
def test_an_invalid_splits_file_is_refused(tmp_path: Path, content: str, reported: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=reported) as caught:
        read_splits(path)
    assert str(path) in str(caught.value)


def test_a_missing_splits_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot read the splits file"):
        read_splits(tmp_path / "s.toml")


@pytest.mark.parametrize(
    ("tables", "reported"), [(["x"], "No item is in y"), (["x", "y", "z"], "No split has z")]
)
def test_unknown_and_missing_tables_are_refused(tables: list[str], reported: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_splits(Path("s.toml"), [["x", "y"]], tables)
    assert reported.lower() in caught.value.found.lower()

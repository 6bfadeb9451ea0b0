"""The page on the command says what the help says."""

from pathlib import Path

from provhouse.cli.reference import document

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()

"""docs/cli.md matches the help of the commands."""

from pathlib import Path

from provhouse.cli.reference import document

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()

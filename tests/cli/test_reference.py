"""The generated pages match their sources, which are the help of the commands and the settings."""

from pathlib import Path

from provhouse.cli import reference, settings_page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_is_up_to_date() -> None:
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == reference.document()


def test_the_page_of_settings_is_up_to_date() -> None:
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == settings_page.document()

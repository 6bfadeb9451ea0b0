"""The generated pages match their sources: help, settings, docstrings, schemas and routes."""

from pathlib import Path

from provhouse.cli import json_page, python_page, reference, settings_page
from provhouse.serve import http_page

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_is_up_to_date() -> None:
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == reference.document()


def test_the_page_of_settings_is_up_to_date() -> None:
    assert (DOCS / "settings.md").read_text(encoding="utf-8") == settings_page.document()


def test_the_page_of_python_is_up_to_date() -> None:
    assert (DOCS / "python.md").read_text(encoding="utf-8") == python_page.document()


def test_the_page_of_json_is_up_to_date() -> None:
    assert (DOCS / "json.md").read_text(encoding="utf-8") == json_page.document()


def test_the_page_of_http_is_up_to_date() -> None:
    assert (DOCS / "http.md").read_text(encoding="utf-8") == http_page.document()

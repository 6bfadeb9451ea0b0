"""Links and file names in Markdown pages lead to files and headings; each heading has a text."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = subprocess.check_output(["git", "ls-files", "*.md"], cwd=ROOT, text=True).splitlines()
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
FILE = re.compile(r"`([\w.-]+/[\w./-]+\.(?:py|sh|md|lock|toml|yml))`")


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub makes for the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def empty_headings(text: str) -> list[str]:
    """Return the headings without a text: what follows is a blank place or a heading as high."""
    outside = re.sub(r"^```.*?^```", "code", text, flags=re.MULTILINE | re.DOTALL)
    parts = [*re.split(r"^(#+) (.*)\n?", outside, flags=re.MULTILINE)[1:], "#"]
    return [
        title
        for marks, title, after, following in zip(
            parts[:-1:3], parts[1::3], parts[2::3], parts[3::3], strict=True
        )
        if after.startswith("\n\n") or (not after.strip() and len(following) <= len(marks))
    ]


def leads_somewhere(page: Path, link: str) -> bool:
    """Return whether a link's file exists and has the heading that the link names."""
    name, _, anchor = link.partition("#")
    target = page.parent / name if name else page
    return target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PAGES)
def test_links_and_file_names_lead_somewhere(name: str) -> None:
    page = ROOT / name
    text = page.read_text(encoding="utf-8")
    wrong = [link for link in LINK.findall(text) if not leads_somewhere(page, link)]
    # A page may name files from the root folder or from its own folder. A name that contains NEW
    # stands for a file that a contributor will add.
    wrong += [
        file
        for file in FILE.findall(text)
        if "NEW" not in file and not (ROOT / file).exists() and not (page.parent / file).exists()
    ]
    assert wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_no_heading_is_empty(name: str) -> None:
    assert empty_headings((ROOT / name).read_text(encoding="utf-8")) == []

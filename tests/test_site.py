"""The site builds without a warning, and its navigation leads to every page that users need."""

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from site_source import write_source

ROOT = Path(__file__).parent.parent
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]


def _listed(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    else:
        for each in part.values() if isinstance(part, dict) else part:
            yield from _listed(each)


def test_the_navigation_has_all_pages(tmp_path: Path) -> None:
    """Decisions are reached from the list of all pages."""
    write_source(tmp_path)
    pages = {page.relative_to(tmp_path).as_posix() for page in tmp_path.rglob("*.md")}
    listed = set(_listed(CONFIG["nav"]))
    assert listed <= pages
    assert {page for page in pages - listed if "/decisions/" not in page} == set()


def test_links_to_folders_lead_to_a_page_or_become_text(tmp_path: Path) -> None:
    write_source(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "[flights](examples/flights/README.md)" in text
    assert (tmp_path / "docs" / "crossfilter" / "page.png").exists()
    assert "[figures](figures)" not in (tmp_path / "docs" / "benchmarks.md").read_text("utf-8")


def test_the_site_builds_without_a_warning() -> None:
    subprocess.run(["make", "site"], cwd=ROOT, check=True)
    home = (ROOT / CONFIG["site_dir"] / "index.html").read_text(encoding="utf-8")
    assert 'class="mermaid"' in home
    assert "http" + "://fonts" not in home

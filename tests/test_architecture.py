"""ARCHITECTURE.md names every module of the package, under its folder, and no other."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def _folders() -> set[str]:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    return set(setup["package-dir"].values())


def _named() -> set[str]:
    """Modules as the list of files names them: ``folder/name.py``."""
    sections = re.split(r"^### (\w+):.*$", (ROOT / "ARCHITECTURE.md").read_text(), flags=re.M)[1:]
    return {
        f"{folder}/{file}"
        for folder, text in zip(sections[::2], sections[1::2], strict=True)
        for line in text.splitlines()
        if line.startswith("- ")
        for file in re.findall(r"`([\w/]+\.py)`", line)
    }


def test_every_module_has_its_line() -> None:
    there = {
        str(file.relative_to(ROOT))
        for folder in _folders()
        for file in (ROOT / folder).rglob("*.py")
        if file.name != "__init__.py"
    }
    assert _named() == there

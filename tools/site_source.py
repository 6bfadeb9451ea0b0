"""The source of the site: the repository's pages in their folders, for `make site` to build.

The site has a page for each Markdown page that users read. Links between these pages stay as they
are. Other files that a page links to are copied; a link to a folder without a page becomes text.
"""

import re
import shutil
import subprocess
import sys
from os.path import normpath
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (
    "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md",
    "model/glossary.md", "examples/*/README.md",
)  # fmt: skip
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#)([^)\s]+)\)")
_IMAGE = re.compile(r"!\[[^\]]*\]\((?!https?:)([^)\s]+)\)")


def write_source(target: Path) -> int:
    """Write the source of the site to a folder, and return the number of pages."""
    shutil.rmtree(target, ignore_errors=True)
    names = subprocess.check_output(["git", "ls-files", *PAGES], cwd=ROOT, text=True).splitlines()
    pages = frozenset(names)
    for name in names:
        _write_page(name, pages, target)
    return len(names)


def _write_page(name: str, pages: frozenset[str], target: Path) -> None:
    text, folder = (ROOT / name).read_text(encoding="utf-8"), Path(name).parent
    for image in _IMAGE.findall(text):
        _copy(folder / image, target)
    text = _LINK.sub(lambda link: _linked(link, folder, pages, target), text)
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    (target / name).write_text(text, encoding="utf-8")


def _linked(link: re.Match[str], folder: Path, pages: frozenset[str], target: Path) -> str:
    """Return a link as the site needs it. If the link's target is not a page, copy the target."""
    name, mark, anchor = link[2].partition("#")
    file = Path(normpath(folder / name))
    index = (file / "README.md").as_posix()
    if file.as_posix() in pages:
        return link[0]
    if index in pages:
        return f"[{link[1]}]({name.rstrip('/')}/README.md{mark}{anchor})"
    if (ROOT / file).is_dir():
        return link[1]
    _copy(file, target)
    return link[0]


def _copy(file: Path, target: Path) -> None:
    copied = target / normpath(file)
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / file, copied)


def main() -> None:
    """Write the source to the folder that the first argument names."""
    print(f"{write_source(Path(sys.argv[1]))} pages")


if __name__ == "__main__":
    main()

"""Run the Python blocks of documentation pages as programs."""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def run(page: str, folder: Path, blocks: slice = slice(None), before: str = "") -> str:
    """Run the Python blocks of a page in a folder as one program; return what it prints.

    ``before`` is Python that the program runs first.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[blocks]
    program = folder / "shop.py"
    program.write_text("\n".join([before, *found]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(program)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout

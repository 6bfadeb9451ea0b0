"""Run programs as if only the base of provhouse were installed, without its extras."""

import subprocess
import sys
from pathlib import Path

from provhouse.model.extras import EXTRA_OF

HIDDEN = {*EXTRA_OF, "llvmlite", "pandas", "polars", "networkx", "scipy"}
_HOOK = """
import importlib.util, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: (
    None if name.partition(".")[0] in {hidden} else found(name, package)
)
"""


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that cannot import the extras' packages. Warnings are errors."""
    code = _HOOK.format(hidden=sorted(HIDDEN)) + program
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, text=True
    )

"""Check the import contracts of pyproject.toml on a copy of the package laid out as provhouse/X/.

import-linter expects sub-packages inside their package's folder. In this repository ``api`` is
the package ``provhouse`` and its sub-packages are folders beside it. So this script first copies
them into the layout of an installation.
"""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def lay_out(target: Path) -> None:
    """Copy pyproject.toml, and each package as pip would install it, into ``target``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = project["tool"]["setuptools"]["package-dir"]
    ignored = shutil.ignore_patterns("__pycache__")
    for package, folder in sorted(folders.items()):  # provhouse itself comes first
        place = target / package.replace(".", "/")
        shutil.copytree(ROOT / folder, place, ignore=ignored, dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", target)


def main() -> int:
    """Run import-linter on a copy of the package and return its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        lint = [str(Path(sys.executable).with_name("lint-imports")), *sys.argv[1:]]
        return subprocess.run(lint, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

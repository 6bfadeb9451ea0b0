"""List all modules of the package with the first line of their docstrings: `make files`."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent


def folders() -> list[str]:
    """Return the top-level folders that are packages, in the order of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["tool"]["setuptools"]["package-dir"].values())


def summary(file: Path) -> str:
    """Return the first line of a module's docstring; empty if the module has no docstring."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0]


def modules(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the summary of each module below a folder, packages before modules."""
    files = sorted((ROOT / folder).rglob("*.py"), key=lambda f: (f.parent, f.stem != "__init__", f))
    for file in files:
        package = file.parent if file.name == "__init__.py" else file
        yield str(package.relative_to(ROOT)), summary(file)


def main() -> None:
    """Print the path and the first docstring line of every module."""
    for folder in folders():
        for path, line in modules(folder):
            indent = "  " * path.count("/")
            print(f"{indent}{path}: {line}")
        print()


if __name__ == "__main__":
    main()

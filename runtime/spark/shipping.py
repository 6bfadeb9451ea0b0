"""Send provhouse's own code to executors, so that they run the version of this process.

If the same code is installed on an executor, the executor uses the installed code instead. Compiled
kernels are then kept between sessions; with sent code, each session compiles them again.
"""

import importlib
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

CODE = "provhouse-code"
"""The folder with the code of this process, inside an executor's working folder."""
DIGEST = "digest"
PACKAGES = (
    "model", "runtime", "sets", "sql", "store", "cypher", "equivalence", "commit", "capturing",
    "ingest", "pictures", "query", "workflows", "care",
)  # fmt: skip
"""The packages that tasks may import. ``provhouse`` itself is an empty package there."""


def write_code(folder: Path) -> Path:
    """Write a zip file with the packages of ``PACKAGES`` to a folder; return its path."""
    path = folder / f"{CODE}.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as out:
        out.writestr("provhouse/__init__.py", "")
        for name, module in _modules():
            out.write(module, name)
        out.writestr(DIGEST, digest())
    return path


def digest() -> str:
    """Return a hash of the code that ``import provhouse`` finds in this process."""
    found = sha256()
    for name, module in _modules():
        found.update(f"{name}\n".encode() + module.read_bytes())
    return found.hexdigest()


def _modules() -> Iterator[tuple[str, Path]]:
    """Yield the path in the zip file and the source file, for each module of ``PACKAGES``.

    Raises ModuleNotFoundError if a package is missing, which happens in other versions of
    provhouse.
    """
    for package in PACKAGES:
        spec = find_spec(f"provhouse.{package}")
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"No module named provhouse.{package}")
        # In an editable installation, the packages are not in the folder of ``provhouse``.
        root = Path(spec.origin).parent
        for module in sorted(root.rglob("*.py")):
            yield f"provhouse/{package}/{module.relative_to(root).as_posix()}", module


def use_installed() -> None:
    """Make later imports use the installed provhouse, if its code equals the sent code.

    Call this in a process that has imported provhouse from the folder ``CODE``.
    """
    sent = next(path for path in sys.path if Path(path).name == CODE)
    wanted = Path(sent, DIGEST).read_text(encoding="ascii")
    sys.path.remove(sent)
    _forget()
    try:
        if digest() == wanted:
            return
    except ModuleNotFoundError:
        pass
    sys.path.insert(0, sent)
    _forget()


def _forget() -> None:
    """Make the next import of provhouse search for the package's modules again."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "provhouse"]:
        del sys.modules[name]
    importlib.invalidate_caches()

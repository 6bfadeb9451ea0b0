"""Importing the package, or one of its folders, loads only the modules that are used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import provhouse

HEAVY = ("pyspark", "pyarrow", "neo4j", "numba", "numpy", "pandas", "deltalake", "rich", "typer")


def loaded(code: str) -> str:
    """Run code in a new interpreter; return its output and the heavy modules that it loaded."""
    shown = f"print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\n{shown}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize(
    "code",
    [
        "import provhouse",
        "import provhouse; dir(provhouse)",
        "import provhouse.model.settings",
        "import provhouse.serve.client",
        "import provhouse.output.questions.question_registry",
        "from provhouse import NotFound",
    ],
)
def test_importing_loads_nothing_heavy(code: str) -> None:
    assert loaded(code) == "[]"


def test_importing_the_package_loads_no_other_module_of_it() -> None:
    code = "import provhouse; print([m for m in sys.modules if m.startswith('provhouse')])"
    assert loaded(code).splitlines()[0] == "['provhouse']"


def test_every_public_name_is_found() -> None:
    assert all(getattr(provhouse, name) for name in provhouse.__all__)
    assert set(provhouse.__all__) <= set(dir(provhouse))


def test_type_checkers_see_every_public_name() -> None:
    source = Path(str(provhouse.__file__)).read_text(encoding="utf-8")
    (block,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    names = [name for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names]
    assert {name.asname for name in names} == set(provhouse.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = provhouse.nonsense

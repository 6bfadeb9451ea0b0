"""Executors get the driver's code. They use an installed copy only if it is the same code."""

import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from provhouse.runtime.spark.shipping import CODE, DIGEST, PACKAGES, write_code

ROOT = Path(__file__).parent.parent.parent.parent

OTHERS = ("api", "cli", "output", "serve")
"""The packages that are not sent to executors."""
PROGRAM = """
import sys
from provhouse.runtime.spark import shipping
shipping.PACKAGES += tuple(sys.argv[1:])
shipping.use_installed()
import provhouse.runtime.spark.tasks
print(provhouse.runtime.spark.tasks.__file__)
"""


def unpacked(folder: Path) -> Path:
    """Unpack the shipped code as Spark does, and return the folder with the code."""
    code = folder / CODE
    with ZipFile(write_code(folder)) as archive:
        archive.extractall(code)
    return code


def imported(code: Path, *more: str) -> Path:
    """Return the file of a module that a daemon imports.

    The daemon has this code and ``more`` packages.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *more],
        env={"PYTHONPATH": CODE},
        cwd=code.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


@pytest.mark.long
def test_the_same_code_is_used_where_it_is_installed(tmp_path: Path) -> None:
    assert not imported(unpacked(tmp_path)).is_relative_to(tmp_path)


@pytest.mark.long
def test_other_code_is_used_as_it_was_sent(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    (code / DIGEST).write_text("other")
    assert imported(code).is_relative_to(code)


@pytest.mark.long
def test_the_sent_code_is_used_if_an_installed_version_lacks_a_package(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    assert imported(code, "a_new_package").is_relative_to(code)


def alone(code: Path, program: str) -> str:
    """Return what a program prints if it has only the shipped code, and not the installed code."""
    hide = "import sys; sys.meta_path = [f for f in sys.meta_path if 'ditable' not in repr(f)]\n"
    done = subprocess.run(
        [sys.executable, "-c", hide + program],
        env={"PYTHONPATH": str(code)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


IMPORTING = """
from importlib import import_module
for name in {modules}:
    try:
        import_module(name)
    except ModuleNotFoundError:
        print(name)
"""


@pytest.mark.long
def test_the_sent_code_imports_nothing_that_is_not_sent(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    modules = [
        ".".join(path.relative_to(code).with_suffix("").parts) for path in code.rglob("*.py")
    ]
    assert "provhouse.ingest.steps.order" in modules
    assert alone(code, IMPORTING.format(modules=modules)).split() == []


def test_every_package_that_has_tasks_is_sent() -> None:
    gives = re.compile(r"import .*\b(run_tasks|run_on|Job)\b|\.(map|mapPartitions)\(")
    having = {
        path.relative_to(ROOT).parts[0]
        for package in (*PACKAGES, *OTHERS)
        for path in (ROOT / package).rglob("*.py")
        if gives.search(path.read_text(encoding="utf-8"))
    }
    assert {"care", "ingest", "query", "runtime", "store"} <= having
    # From the command line, Spark gets only a built-in function. The functions of captured RDDs are
    # sent by value, with cloudpickle. The interface has an example.
    assert having - {*PACKAGES} == {"cli", "api"}


def test_the_digest_changes_with_the_code(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    program = "from provhouse.runtime.spark.shipping import digest; print(digest())"
    sent = (code / DIGEST).read_text()
    assert alone(code, program) == sent
    with (code / "provhouse" / "sets" / "cut.py").open("a") as module:
        module.write("\n")
    assert alone(code, program) != sent

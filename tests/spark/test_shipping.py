"""Executors get the code of the driver, and use an installed copy only if it is the same."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from provhouse.spark.shipping import CODE, DIGEST, write_code

PROGRAM = """
import sys
from provhouse.spark import shipping
shipping.PACKAGES += tuple(sys.argv[1:])
shipping.use_installed()
import provhouse.spark.tasks
print(provhouse.spark.tasks.__file__)
"""


def unpacked(folder: Path) -> Path:
    """Unpack the code that is sent, as Spark does, and return its folder."""
    code = folder / CODE
    with ZipFile(write_code(folder)) as archive:
        archive.extractall(code)
    return code


def imported(code: Path, *more: str) -> Path:
    """Return the file of a module that a daemon with this code, and more packages, imports."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *more],
        env={"PYTHONPATH": CODE},
        cwd=code.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip())


def test_the_same_code_is_used_where_it_is_installed(tmp_path: Path) -> None:
    assert not imported(unpacked(tmp_path)).is_relative_to(tmp_path)


def test_other_code_is_used_as_it_was_sent(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    (code / DIGEST).write_text("other")
    assert imported(code).is_relative_to(code)


def test_the_sent_code_is_used_if_an_installed_version_lacks_a_package(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    assert imported(code, "a_new_package").is_relative_to(code)


def test_the_sent_code_has_every_module_that_tasks_import(tmp_path: Path) -> None:
    code = unpacked(tmp_path)
    program = "import provhouse.ingest.steps.order, provhouse.query.hashed_triples"
    hide = "import sys; sys.meta_path = [f for f in sys.meta_path if 'ditable' not in repr(f)]\n"
    subprocess.run(
        [sys.executable, "-c", hide + program], env={"PYTHONPATH": str(code)}, check=True
    )

"""Tests are grouped by their shared resources. A process that ends delays no other process."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.distribution import LONGEST, WARM, group, place

HELPERS = Path(__file__).parent
CONFTEST = """
from helpers.distribution import Groups

def pytest_xdist_make_scheduler(config, log):
    return Groups(config, log)
"""
DIES = """
import os, pytest

@pytest.mark.parametrize("number", range(6))
def test_dies(number):
    if number == 2:
        os._exit(1)
"""
LIVES = """
import pytest

@pytest.mark.parametrize("number", range(6))
def test_lives(number):
    pass
"""


@pytest.mark.long
def test_a_process_that_dies_fails_its_test_and_ends_nothing_else(tmp_path: Path) -> None:
    """The process had finished groups before it ended. The test at which it ended is not repeated.

    The process of the group ``warm`` takes its other groups from the end.
    """
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "fire").mkdir()
    for name in ("fire/test_points", "test_a", "test_b", "test_c", "test_e", "test_f"):
        (tmp_path / f"{name}.py").write_text(LIVES)
    (tmp_path / "test_d.py").write_text(DIES)
    command = [sys.executable, "-m", "pytest", "-v", "--numprocesses", "2", "--dist", "loadscope",
               "--no-loadscope-reorder", "-p", "no:cacheprovider", "-p", "xdist", "."]  # fmt: skip
    given = {**os.environ, "PYTHONPATH": str(HELPERS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=120
    )
    assert "1 failed, 41 passed" in done.stdout, done.stdout + done.stderr
    warm, last = (
        set(re.findall(rf"\[(gw\d+)\].* PASSED {name}.py", done.stdout))
        for name in ("fire/test_points", "test_f")
    )
    assert len(warm) == 1
    assert warm == last


def test_groups_that_take_long_come_first() -> None:
    slow = {"tests/query/test_view.py", "warm"}
    names = ["tests/model/test_arrays.py::test_a", "tests/query/test_view.py::test_a",
             "tests/serve/test_tls.py::test_a", "tests/fire/test_points.py::test_a"]  # fmt: skip
    assert sorted(names, key=lambda name: place(name, slow)) == names[::-1]


def test_every_file_with_the_fixture_warm_is_in_its_group(request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    for file in WARM:
        assert (root / "tests" / file).is_file(), file
    using = {group(each.nodeid) for each in request.session.items
             if "warm" in getattr(each, "fixturenames", ())}  # fmt: skip
    assert using <= {"warm"}
    assert "warm" in LONGEST

"""Partial results are never reused, whichever process is killed or runs at the same time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.flow import Flow, rows, write
from helpers.sampled import one_in
from provhouse.model.errors import Busy
from provhouse.model.fault_points import VARIABLE
from provhouse.store.tables.registry import RESULTS, read
from provhouse.store.warehouse.locks import locked
from provhouse.workflows.erase_results import erase_results
from provhouse.workflows.result_files import result_path

DDL = "create table t(a integer, b varchar);"
TEXT = "select a, count(*) as n from t where b <> 'x' group by a"
LAST = "registered rows published=stop@2"
"""The fault point after which the execution is stored."""
STORE = """
import sys
from pathlib import Path
from helpers.flow import Flow
flow = Flow(Path(sys.argv[1]), sys.argv[2])
flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
"""
ERASE = """
import sys
from pathlib import Path
from helpers.flow import Flow
from provhouse.workflows.erase_results import erase_results
erase_results(Flow(Path(sys.argv[1]), sys.argv[2]).layout)
"""


@pytest.fixture
def flow(tmp_path: Path) -> Flow:
    """A workflow with a revision, and a file that an execution has written."""
    made = Flow(tmp_path, DDL)
    made.table(
        "t", "select (i % 3)::integer a, case when i % 2 = 0 then 'x' end b from range(9) t(i)"
    )
    made.add(TEXT)
    write(TEXT, made.folder / "out.parquet", made.prepared("t"))
    return made


def killed(flow: Flow, program: str, point: str) -> None:
    """Run a program, and kill it at a fault point."""
    environment = {**os.environ, VARIABLE: point, "PYTHONPATH": "tests"}
    command = [sys.executable, "-c", program, str(flow.folder), DDL]
    process = subprocess.Popen(command, env=environment)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), f"{point} was not reached"
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize(
    "point",
    one_in(
        4,
        ["result written=stop", "registered rows written=stop@1",
         "registered rows published=stop@1", "registered rows written=stop@2", LAST],
    ),
)  # fmt: skip
def test_a_result_is_offered_only_if_it_is_whole(flow: Flow, point: str) -> None:
    killed(flow, STORE, point)
    assert flow.reuse(1).decision == ("reuse" if point == LAST else "build")
    flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
    assert rows(flow.reuse(1).path) == rows(flow.folder / "out.parquet")
    assert [*flow.layout.results.glob(".*")] == []


@pytest.mark.parametrize(
    "point", one_in(4, ["results erased=stop", "registered rows published=stop"])
)
def test_a_killed_erasure_leaves_no_result(flow: Flow, point: str) -> None:
    flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
    path = Path(flow.reuse(1).path)
    killed(flow, ERASE, point)
    assert flow.reuse(1).reason == "the result is erased"
    erase_results(flow.layout)
    assert not path.exists()
    assert [*flow.layout.results.iterdir()] == []


def test_an_erased_result_can_be_stored_again(flow: Flow) -> None:
    flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
    erase_results(flow.layout)
    flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
    assert flow.reuse(1).decision == "reuse"
    assert read(flow.layout, RESULTS)["state"].to_pylist() == ["stored", "erased", "stored"]


def test_a_second_writer_is_refused(flow: Flow) -> None:
    with locked(flow.layout), pytest.raises(Busy):
        flow.store(1, {"result": flow.folder / "out.parquet"}, "t")
    assert not result_path(flow.layout, flow.reuse(1).result or "none").exists()

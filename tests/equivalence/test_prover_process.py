"""One prover process handles several proofs in turn, and is started again if it ends."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from provhouse.equivalence.proving.process import PROCESS, Process
from provhouse.equivalence.proving.proof import Proof
from provhouse.equivalence.verdict import Revision, Verdict, compare

DDL = "create table t(a integer, b integer);"
PAIR = ("select a from t where b > 1 and a > 2", "select a from t where a >= 3 and 1 < b")


def _verdict() -> Verdict:
    one, other = (Revision(text, DDL) for text in PAIR)
    return compare(one, other)


def _children() -> set[int]:
    return {each.pid for each in psutil.Process().children() if each.is_running()}


def test_proofs_share_one_process() -> None:
    assert _verdict().proof
    before = _children()
    with ThreadPoolExecutor(3) as pool:
        found = [each.result().proof for each in [pool.submit(_verdict) for _ in range(6)]]
    assert all(isinstance(each, Proof) for each in found)
    assert len(set(found)) == 1
    assert _children() == before


def test_a_process_that_was_killed_is_started_again() -> None:
    assert _verdict().proof
    running = PROCESS.running
    assert running is not None
    running.kill()
    running.wait()
    assert _verdict().proof
    assert PROCESS.running is not running


def test_a_proof_that_crashes_ends_alone() -> None:
    process = Process()
    try:
        assert process.answer(b"no JSON") == b""
        running = process.running
        assert process.answer(b"no JSON either") == b""
        assert process.running is running
    finally:
        process.close()


@pytest.mark.long
def test_the_process_ends_with_the_program() -> None:
    program = (
        "from provhouse.equivalence.proving.process import PROCESS\n"
        "PROCESS.answer(b'')\n"
        "print(PROCESS.running.pid, flush=True)\n"
        "import os; os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    pid = int(done.stdout)
    for _ in range(100):
        if not psutil.pid_exists(pid):
            return
        time.sleep(0.1)
    raise AssertionError("the process still runs")

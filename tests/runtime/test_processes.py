"""A process that was ended is gone, also where its parent does not look."""

import subprocess
import sys
from time import monotonic

from provhouse.runtime.processes import end

NOBODY_LOOKS = """
import subprocess, time
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
time.sleep(60)
"""
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""


def test_a_child_of_a_process_that_does_not_look() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", NOBODY_LOOKS], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        began = monotonic()
        end(int(parent.stdout.readline()), 5)
        assert monotonic() - began < 3
        parent.kill()


def test_one_that_does_not_listen_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        child.stdout.readline()
        end(child.pid, 0.3)
        assert child.wait() in (-9, 0)  # who waited first knows

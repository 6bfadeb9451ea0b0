"""Processes start in their own sessions, errors quote process logs, and all processes end."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import psutil

from provhouse.runtime.files import lock, open_lock
from provhouse.runtime.processes import LOG_LINES, end, log_lines, quoted, spawn

PARENT = """
import subprocess, time
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
time.sleep(60)
"""
IGNORES_SIGTERM = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""

ENDS_BY_ITSELF = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(print("ended")))
print(flush=True)
time.sleep(60)
"""

LEAVES_A_THREAD = """
import ctypes, fcntl, signal, sys, threading, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
threading.Thread(target=time.sleep, args=(60,)).start()
print(flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""


def test_an_ended_process_counts_as_gone_before_its_parent_collects_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        began = monotonic()
        end(int(parent.stdout.readline()), 5)
        assert monotonic() - began < 3
        parent.kill()


def test_a_stopped_process_is_asked_to_end() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDS_BY_ITSELF], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        child.stdout.readline()
        child.send_signal(signal.SIGSTOP)
        end(child.pid, 5)
        assert child.stdout.read() == "ended\n"


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", IGNORES_SIGTERM], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        child.stdout.readline()
        end(child.pid, 0.3)
        assert child.wait() in (-9, 0)  # the status is 0 if end() has collected it


def test_a_process_is_gone_when_all_its_threads_are(tmp_path: Path) -> None:
    """As long as any thread runs, the process keeps its locks, even if it looks like a zombie."""
    command = [sys.executable, "-c", LEAVES_A_THREAD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        child.stdout.readline()
        process = psutil.Process(child.pid)
        until = monotonic() + 10
        while process.status() != psutil.STATUS_ZOMBIE and monotonic() < until:
            sleep(0.01)
        end(child.pid, 0.3)
        assert lock(open_lock(tmp_path / "lock"))


STATE = """
import os, signal, sys
print(os.getsid(0) == os.getpid(), os.environ.get("ONLY"), os.environ.get("HOME"))
print([signal.getsignal(s) != signal.SIG_IGN for s in (signal.SIGINT, signal.SIGHUP)])
print(repr(sys.stdin.read()), file=sys.stderr)
"""


def spawned(log: Path, code: str, *, append: bool = False) -> str:
    """Run ``code`` in a process, wait until the process ends, and return its log."""
    pid = spawn([sys.executable, "-c", code], {"ONLY": "this"}, log, append=append)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return log.read_text()


def test_a_spawned_process_has_its_own_session_environment_and_signals(tmp_path: Path) -> None:
    """Ctrl-C works in a process even if its parent, a background job of a shell, ignores Ctrl-C."""
    before = {s: signal.signal(s, signal.SIG_IGN) for s in (signal.SIGINT, signal.SIGHUP)}
    try:
        text = spawned(tmp_path / "log", STATE)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert sorted(text.splitlines()) == ["''", "True this None", "[True, True]"]
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_log_is_replaced_or_appended_to(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert spawned(log, "print(1)") == "1\n"
    assert spawned(log, "print(2)") == "2\n"
    assert spawned(log, "print(3)", append=True) == "2\n3\n"


def test_the_last_lines_of_a_log_are_quoted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert log_lines(log) == []
    log.write_bytes(b"first\n\n  \nodd \xff\n" + b"".join(b"%d\n" % n for n in range(LOG_LINES)))
    assert log_lines(log) == ["first", "odd \ufffd", *map(str, range(LOG_LINES))]
    assert quoted(log_lines(log)) == "\n".join(f"  {n}" for n in range(LOG_LINES))
    assert quoted([]) == ""


def test_tabs_in_a_log_are_quoted_as_spaces() -> None:
    assert quoted(["a\tb", "\tat org.neo4j"]) == "  a b\n    at org.neo4j"

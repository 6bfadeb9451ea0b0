"""The Spark session of a process: its start, end, and errors."""

import atexit
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import psutil

from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.extras import require
from provhouse.model.settings import Settings

from ..files import make_folder
from ..scratch import scratch
from .adopting import check_usable
from .cluster import check_cluster, check_master
from .configuration import DAEMONS, configured, on_cluster, set_environment
from .pyspark_internals import forget_jvm, has_stopped, leave_jvm, running_session, start_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

START_SECONDS = 300
"""The maximum seconds that YARN may take to start an application, with the start of Spark itself.

YARN accepts an application when its queue has no room, and Spark waits until there is room.
"""
KILL_SECONDS = 10
"""The maximum seconds that ``end`` waits for killed processes or a start in another thread."""
ENDINGS = (
    "Python worker exited unexpectedly",
    *(f"from {daemon}" for daemon in DAEMONS),
    "from pyspark.daemon",
    "SparkContext was shut down",
    "SparkContext has been shutdown",
    "stopped SparkContext",
)
"""Strings in Spark's errors after a worker was killed or Spark was asked to end."""


RUN_AGAIN = "Check whether the machine has enough memory, then run the command again"
OPEN_AGAIN = "If the program has stopped its Spark session, create one and open the warehouse again"


class _Process:
    """The Spark sessions of this process; PySpark supports only one JVM per process."""

    def __init__(self) -> None:
        self.starting = threading.Lock()
        self.session: SparkSession | None = None
        """The session that provhouse started, configured and will end."""
        self.adopted: SparkSession | None = None
        """The last session of the calling program that was found to be usable."""


_process = _Process()


def spark(settings: Settings, logs: Path) -> "SparkSession":
    """Return the session of this process; the first call starts Spark, which takes 6 to 11 seconds.

    If the calling program has created a session, return that session, which provhouse never
    configures, stops or ends. Otherwise the JVM prints to ``spark.log`` in the folder ``logs``.
    Raises Unavailable if Java, the jars or the master are missing, if the program's session cannot
    be used, or if the executors of a cluster cannot use the warehouse.
    """
    with _process.starting:
        if _process.session is not None:
            return _process.session
        if (found := running_session()) is not None:
            return _adopted(found)
        require("spark")
        make_folder(logs)
        _process.adopted = None
        _process.session = session = _started(settings, logs / "spark.log")
    if on_cluster(settings.master):
        try:
            check_cluster(session.sparkContext, settings)
        except BaseException:
            end()
            raise
    return session


def _adopted(found: "SparkSession") -> "SparkSession":
    known = _process.adopted
    if known is None or known.sparkContext is not found.sparkContext:
        check_usable(found.sparkContext)
    _process.adopted = found
    return found


def is_own(session: "SparkSession") -> bool:
    """Return whether provhouse started this session, with Delta's jars and provhouse's workers."""
    own = _process.session
    return own is not None and session.sparkContext is own.sparkContext


class Starting:
    """A start of Spark in the background, during which the caller can do other work."""

    def __init__(self, settings: Settings, logs: Path) -> None:
        self._session: SparkSession | None = None
        self._error: BaseException | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._start, args=(settings, logs), daemon=True)
        self._thread.start()

    def _start(self, settings: Settings, logs: Path) -> None:
        began = _process.session is None
        try:
            self._session = spark(settings, logs)
        except BaseException as error:  # session() raises it
            self._error = error
        self._over.set()
        if self._session and began:
            with suppress(Exception):  # this first job starts the workers ahead of time
                self._session.sparkContext.parallelize([0], 1).map(abs).collect()

    def session(self) -> "SparkSession":
        """Wait for the session and return it; raise the error if Spark failed to start."""
        self._over.wait()
        if self._error or not self._session:
            raise self._error or Unavailable("Spark did not start")
        return self._session


def _started(settings: Settings, log: Path) -> "SparkSession":
    from pyspark.sql import SparkSession

    check_master(settings.master)
    set_environment(settings.master)
    leave_jvm()
    temporary = scratch("spark")
    conf = configured(settings, Path(temporary.name))
    atexit.register(_stop, temporary)
    try:
        with os.fdopen(_opened(log), "ab") as sink, _signal_kept(), _in_time(settings.master):
            return SparkSession(start_context(conf, sink))
    except ProvhouseError:
        raise
    except Exception as error:
        raise Unavailable(
            f"Cannot start Spark with the master {settings.master}",
            _first_line(_message(error)),
            f"See {log}; `provhouse doctor` shows what is missing",
        ) from error


def _opened(log: Path) -> int:
    """Open a log for appending; only its owner may read it, because it may contain item names."""
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.fchmod(handle, 0o600)  # earlier versions let everyone read it
    return handle


@contextmanager
def _signal_kept() -> Iterator[None]:
    """Restore the command's handler of Ctrl-C after a block that lets PySpark replace it."""
    before = signal.getsignal(signal.SIGINT)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, before)


@contextmanager
def _in_time(master: str) -> Iterator[None]:
    """Run a block that starts Spark; on YARN, end the JVM if it takes too long."""
    timer = threading.Timer(START_SECONDS, _signal_all, [psutil.Process.terminate])
    timer.daemon = True
    if master == "yarn":
        timer.start()
    try:
        yield
    except Exception as error:
        if timer.finished.is_set():
            raise Unavailable(
                f"YARN has not started an application within {START_SECONDS} seconds",
                "The queue may have no room, or the address in yarn-site.xml may be wrong",
                "Look at the web page of YARN; docs/cluster.md names the settings",
            ) from error
        raise
    finally:
        timer.cancel()


def _stop(temporary: "tempfile.TemporaryDirectory[str]") -> None:
    end()
    with suppress(OSError):
        temporary.cleanup()


def alive() -> bool:
    """Return whether the JVM that provhouse started in this process is running."""
    return any(_is_spark(child) for child in psutil.Process().children())


def end(patience: float = 10) -> None:
    """End the JVM that provhouse started in this process and its workers; wait until all are gone.

    A session that the calling program created is kept. The function sends signals because the JVM
    may have ended or may not be ready yet. A process that has not ended after ``patience`` seconds
    is killed. Spark can be started again afterwards.
    """
    family: set[psutil.Process] = set()
    late = monotonic() + patience
    while monotonic() < late + KILL_SECONDS:
        send = psutil.Process.kill if monotonic() > late else psutil.Process.terminate
        family |= _signal_all(send)
        # Another thread may be starting Spark. PySpark in that thread must see the JVM end first:
        # it waits forever for a JVM whose exit status this thread has already taken.
        if _process.starting.acquire(timeout=0.1):
            try:
                _await_end(family, patience)
                if _process.session:
                    forget_jvm(_process.session)
                _process.session = None
            finally:
                _process.starting.release()
            return


def _signal_all(send: Callable[[psutil.Process], None]) -> set[psutil.Process]:
    """Send a signal to each JVM that provhouse started; return the JVMs and their workers."""
    jvms = [child for child in psutil.Process().children() if _is_spark(child)]
    family = {*jvms, *(worker for jvm in jvms for worker in _below(jvm))}
    for jvm in jvms:
        with suppress(psutil.Error):
            send(jvm)
    return family


def _await_end(family: set[psutil.Process], patience: float) -> None:
    left = psutil.wait_procs(family, patience)[1]
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, KILL_SECONDS)


def _is_spark(process: psutil.Process) -> bool:
    """Return whether a child process is the JVM that ``_started`` launched.

    Only the options of that JVM name one of our daemons.
    """
    try:
        options = process.cmdline()
    except psutil.Error:
        return False
    return any(f"spark.python.daemon.module={daemon}" in options for daemon in DAEMONS)


def _below(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.Error:
        return []


@contextmanager
def working() -> Iterator[None]:
    """Run a block that uses Spark; raise Unavailable if Spark ends during the block.

    Other errors are raised unchanged. A KeyboardInterrupt ends provhouse's own Spark, so that no
    task is still writing while the command removes its unfinished work. It does not end a session
    of the calling program, because PySpark itself cancels the jobs of that session.
    """
    session = _process.session
    try:
        yield
    except KeyboardInterrupt:
        end()
        raise
    except ProvhouseError:
        raise
    except Exception as error:
        message = _message(error)
        if not _was_lost(error, message):
            raise
        remedy = RUN_AGAIN if _process.adopted is None else OPEN_AGAIN
        # Otherwise another thread has restarted Spark, or is about to.
        if (now := _process.session) and session in (None, now):
            end()
        raise Unavailable(
            "Spark or one of its workers ended unexpectedly", message.splitlines()[0], remedy
        ) from error


def _was_lost(error: Exception, message: str) -> bool:
    """Return whether an error shows that Spark or a worker was killed.

    A connection may break before its JVM has ended, so this waits up to 3 seconds for the JVM's
    end.
    """
    from py4j.protocol import Py4JJavaError, Py4JNetworkError
    from pyspark.errors import PySparkException

    if isinstance(error, Py4JJavaError | PySparkException):  # the JVM still answers
        return any(ending in message for ending in ENDINGS)
    if _process.session is None and _process.adopted:
        gone = has_stopped(_process.adopted.sparkContext)
        return gone or isinstance(error, Py4JNetworkError | ConnectionError)
    jvms = [child for child in psutil.Process().children() if _is_spark(child)]
    return not psutil.wait_procs(jvms, 3)[1]


def _first_line(message: str) -> str:
    """Return the first line of a message; for py4j's errors, the line with Java's message."""
    lines = message.splitlines()
    return lines[1][2:] if len(lines) > 1 and lines[1].startswith(": ") else lines[0]


def _message(error: Exception) -> str:
    """Return the text of an error, or its type if the text is empty or cannot be read.

    For py4j's errors, the text comes from the JVM, which may be gone.
    """
    with suppress(Exception):
        if text := str(error).strip():
            return text
    return type(error).__name__

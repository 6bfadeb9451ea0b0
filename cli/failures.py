"""The one place where an error becomes a message and an exit status."""

import errno
import logging
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import typer

from provhouse.model.errors import ProvhouseError, Unavailable, UsageError
from provhouse.output.escape import shown
from provhouse.runtime.files import write_new

_OUTSIDE = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE,
    errno.ENOMEM, errno.EIO, errno.EBUSY, errno.EFBIG, errno.ENAMETOOLONG, errno.ELOOP,
}  # fmt: skip
"""Errors that the machine makes, and not we."""

_FULL = ("No space left on device", " requested and ", "Disk quota exceeded")

_DEFAULT = (signal.SIG_DFL, signal.default_int_handler)


class Stopped(KeyboardInterrupt):
    """A person or another process asked us to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def guarded(work: Callable[[], object], logs: Callable[[], Path]) -> int:
    """Run ``work`` and return the exit status; ``logs`` names the folder for a traceback."""
    _quieten()
    with _signals():
        try:
            work()
            if sys.stdout:
                sys.stdout.flush()
            return 0
        except typer.Exit as ending:
            return ending.exit_code
        except (Exception, KeyboardInterrupt) as error:
            return _status(error, logs)


def _quieten() -> None:
    """Spark's client logs tracebacks of what reaches the user as an error of ours anyway."""
    root = logging.getLogger()
    if not root.handlers:  # else what is logged would be printed
        root.addHandler(logging.NullHandler())


@contextmanager
def _signals() -> Iterator[None]:
    """SIGTERM and SIGHUP unwind like Ctrl-C; a second one of any can't stop the unwinding."""
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    numbers = [n for n, kept in before.items() if kept in _DEFAULT]

    def stop(number: int, frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    for number in numbers:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


def _status(error: BaseException, logs: Callable[[], Path]) -> int:
    if interruption := _interruption(error):
        _say("Interrupted; what the warehouse holds is as its last commit left it.")
        return 128 + (interruption.number if isinstance(interruption, Stopped) else signal.SIGINT)
    if isinstance(error, BrokenPipeError) and _reader_gone():
        _forget_output()
        return 128 + signal.SIGPIPE
    if isinstance(error, typer.TyperException):
        return _misused(error)
    known = error if isinstance(error, ProvhouseError) else _outside(error)
    if known:
        _say(*filter(None, (known.wanted, known.found, known.remedy)))
        return known.exit_status
    return _defect(error, logs)


def _interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """The interruption that this error is, or that it came from while things were put away."""
    while error:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__cause__ or error.__context__
    return None


def _misused(error: typer.TyperException) -> int:
    ctx: typer.Context | None = getattr(error, "ctx", None)
    option = getattr(error, "option_name", None)
    remedy = f"{ctx.command_path if ctx else 'provhouse'} --help says what there is"
    if ctx and ctx.parent and option in ("--warehouse", "--set"):
        remedy = f"It stands in front of the command: provhouse {option} … {ctx.info_name}"
    _say(error.format_message().rstrip("."), remedy)
    return UsageError.exit_status


def _outside(error: BaseException) -> ProvhouseError | None:
    if isinstance(error, MemoryError):
        return Unavailable(
            "There should be memory enough for this", "There is not", "Free some, or ask for less"
        )
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # by pathlib
        error = OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(error).partition("from ")[2])
    if isinstance(error, OSError) and _full(error):
        error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if isinstance(error, OSError) and error.errno in _OUTSIDE:
        what = f"{error.filename}" if error.filename else "a file"
        return Unavailable(
            f"It should be possible to work with {what}", f"The machine says: {error.strerror}"
        )
    return None


def _full(error: OSError) -> bool:
    """Whether a disk was full; numpy and the tables' library say so in words only."""
    return error.errno is None and any(words in str(error) for words in _FULL)


def _defect(error: BaseException, logs: Callable[[], Path]) -> int:
    words = str(error).strip().splitlines()[:1]  # Java's own stack trace would follow
    told = shown(": ".join([type(error).__name__, *words]), 200)
    where = _kept("".join(traceback.format_exception(error)), logs())
    _say(f"This is a defect of provhouse: {told}", f"Please report it with {where}")
    return 1


def _kept(text: str, folder: Path) -> Path:
    name = f"defect-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}.txt"
    content = text.encode(errors="backslashreplace")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new(folder / name, content, mode=0o600)  # names may stand in it
    except OSError:
        import tempfile

        from provhouse.runtime.scratch import DEFECT

        folder, name = Path(tempfile.gettempdir()), name.replace("defect-", DEFECT)
        write_new(folder / name, content, mode=0o600)
    return folder / name


def _say(*sentences: str) -> None:
    """The first sentence behind our name, each further one on a line of its own."""
    begin = "provhouse: "
    with suppress(OSError, AttributeError):  # nobody may be there to read it
        for sentence in sentences:
            lines = sentence.splitlines() or [""]
            for line in lines:
                sys.stderr.write(f"{begin}{shown(line, 2000)}\n")
                begin = " " * len(begin)
        sys.stderr.flush()


def _reader_gone() -> bool:
    """Whether it was the reader of our output who left, and not a server of ours."""
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _forget_output() -> None:
    """Let what is left in the buffers go nowhere when the interpreter closes them."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)

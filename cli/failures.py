"""Turn errors into messages on standard error, and into exit statuses."""

import errno
import logging
import os
import re
import secrets
import select
import shutil
import signal
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import typer

from provhouse.model.errors import ProvhouseError, Unavailable, UsageError
from provhouse.output.escape import shown
from provhouse.runtime.files import NO_SPACE, write_new

from .wrong_options import instead_of_argument, instead_of_option

_ENVIRONMENT = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE,
    errno.ENOMEM, errno.EIO, errno.EBUSY, errno.EFBIG, errno.ENAMETOOLONG, errno.ELOOP,
}  # fmt: skip
"""Errors caused by the machine or its setup, not by a bug."""

_DISK_FULL = (*NO_SPACE, " requested and ")
"""Parts of the messages with which numpy and delta-rs report a full disk without an errno."""

_EXTRA = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.DOTALL)
"""The message for an argument that a command does not expect."""

_DEFAULT = (signal.SIG_DFL, signal.default_int_handler)


class Stopped(KeyboardInterrupt):
    """A signal asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def guarded(work: Callable[[], object], logs: Callable[[], Path]) -> int:
    """Run ``work``, print its error if it fails, and return the exit status.

    ``logs`` returns the folder to write a traceback to.
    """
    _silence_logging()
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


def _silence_logging() -> None:
    """Silence the tracebacks that Spark's client logs; the user gets a message instead."""
    root = logging.getLogger()
    if not root.handlers:  # without a handler, Python prints what is logged
        root.addHandler(logging.NullHandler())


@contextmanager
def _signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP interrupt the block like Ctrl-C, so that cleanup runs.

    Ignore further signals during the cleanup.
    """
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
        _print("Interrupted; the warehouse is unchanged since its last commit.")
        return 128 + (interruption.number if isinstance(interruption, Stopped) else signal.SIGINT)
    if isinstance(error, BrokenPipeError) and _reader_gone():
        _discard_output()
        return 128 + signal.SIGPIPE
    if isinstance(error, typer.TyperException):
        return _usage_error(error)
    known = error if isinstance(error, ProvhouseError) else _environment_error(error)
    if known:
        _print(*filter(None, (known.wanted, known.found, known.remedy)))
        return known.exit_status
    return _bug(error, logs)


def _interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interruption that led to an error, or None.

    The error may come from the cleanup that followed the interruption.
    """
    while error:
        if isinstance(error, KeyboardInterrupt):
            return error
        error = error.__cause__ or error.__context__
    return None


def _usage_error(error: typer.TyperException) -> int:
    ctx: typer.Context | None = getattr(error, "ctx", None)
    _print(_usage_problem(error), _usage_remedy(error, ctx))
    return UsageError.exit_status


def _usage_problem(error: typer.TyperException) -> str:
    """Return the problem without suggestions of options whose names merely look similar."""
    if getattr(error, "option_name", None):
        return str(error.message).rstrip(".")
    return error.format_message().rstrip(".")


def _usage_remedy(error: typer.TyperException, ctx: typer.Context | None) -> str:
    option = getattr(error, "option_name", None)
    if ctx and ctx.parent and option in ("--warehouse", "--set", "--server", "--no-server"):
        return f"Put it before the command: provhouse {option} … {ctx.info_name}"
    known = ""
    if ctx and option:
        near = [one for one in getattr(error, "possibilities", None) or () if one != "--help"]
        known = instead_of_option(ctx, option) or (f"Similar: {', '.join(near)}" if near else "")
    elif ctx and (extra := _EXTRA.fullmatch(error.message)):
        known = instead_of_argument(ctx, extra[1])
    see = f"`{ctx.command_path if ctx else 'provhouse'} --help`"
    return f"{known}; see {see}" if known else f"See {see}"


def _environment_error(error: BaseException) -> ProvhouseError | None:
    if isinstance(error, MemoryError):
        return Unavailable(
            "Out of memory",
            "The command needs more memory than is free",
            "Free some memory, or ask for less",
        )
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):  # by pathlib
        error = OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(error).partition("from ")[2])
    if isinstance(error, OSError) and _disk_full(error):
        error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if isinstance(error, OSError) and error.errno in _ENVIRONMENT:
        what = f"{error.filename}" if error.filename else "a file"
        return Unavailable(f"Cannot use {what}", str(error.strerror))
    return None


def _disk_full(error: OSError) -> bool:
    """Return whether an error without errno means a full disk, judged by its message."""
    return error.errno is None and any(words in str(error) for words in _DISK_FULL)


def _bug(error: BaseException, logs: Callable[[], Path]) -> int:
    words = str(error).strip().splitlines()[:1]  # a Java stack trace may follow
    problem = shown(": ".join([type(error).__name__, *words]), 200)
    where = _write_traceback("".join(traceback.format_exception(error)), logs())
    _print(f"This is a bug in provhouse: {problem}", f"Please report it and attach {where}")
    return 1


def _write_traceback(text: str, folder: Path) -> Path:
    name = f"defect-{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}-{secrets.token_hex(4)}.txt"
    content = text.encode(errors="backslashreplace")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new(folder / name, content, mode=0o600)  # may contain names of items
    except OSError:
        import tempfile

        from provhouse.runtime.scratch import DEFECT

        folder, name = Path(tempfile.gettempdir()), name.replace("defect-", DEFECT)
        write_new(folder / name, content, mode=0o600)
    return folder / name


def _print(*sentences: str) -> None:
    """Print each sentence on its own line of standard error, the first after `provhouse:`."""
    begin = "provhouse: "
    with suppress(OSError, AttributeError):  # standard error may be closed
        for sentence in sentences:
            lines = sentence.splitlines() or [""]
            for line in lines:
                for part in _wrapped(shown(line, 2000), len(begin)):
                    sys.stderr.write(f"{begin}{part}\n")
                    begin = " " * len(begin)
        sys.stderr.flush()


def _wrapped(line: str, indent: int) -> list[str]:
    """Return a line wrapped between words to fit the terminal, or unchanged in a pipe."""
    if not sys.stderr.isatty():
        return [line]
    width = max(shutil.get_terminal_size().columns - indent, 20)
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def _reader_gone() -> bool:
    """Return whether the reader of standard output or standard error has gone.

    A BrokenPipeError alone does not prove this, because a broken connection to a server raises the
    same error.
    """
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, select.POLLOUT)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _discard_output() -> None:
    """Make the interpreter discard the output that is still in its buffers when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(null, number)

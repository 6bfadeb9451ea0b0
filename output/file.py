"""The destination of a result: standard output, or a file that appears only when complete."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Literal, TextIO

from provhouse.model.errors import Unavailable


@contextmanager
def destination(out: Path | None) -> Iterator[TextIO]:
    """Open standard output or a file as UTF-8 with plain line feeds.

    A file keeps its old content until the block ends without an error. Raises Unavailable if the
    destination cannot be written.
    """
    if out is None:
        yield _standard_output()
        sys.stdout.flush()
        return
    with _written(out) as handle:
        yield handle


def _standard_output() -> TextIO:
    if sys.stdout is None:
        raise Unavailable(
            "Cannot write to standard output", "It is closed", "Name a file with --out"
        )
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


@contextmanager
def _written(out: Path) -> Iterator[TextIO]:
    target = Path(os.path.realpath(out))
    if target.exists() and not target.is_file():  # a device or a pipe is written to, not replaced
        with _opened(target, "w", out) as handle:
            yield handle
        return
    aside = target.with_name(f".{target.name[:100]}.{token_hex(6)}")
    try:
        with _opened(aside, "x", out) as handle:
            yield handle
        if target.exists():
            aside.chmod(target.stat().st_mode & 0o7777)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def _opened(path: Path, mode: Literal["w", "x"], out: Path) -> TextIO:
    try:
        return path.open(mode, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Unavailable(
            f"Cannot write to {out}",
            str(error.strerror),
            "Name another file, or create its folder and make it writable",
        ) from error

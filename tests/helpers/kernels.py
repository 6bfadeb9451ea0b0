"""Compile each numba kernel in only one process of a test run; other processes load the kernel.

In a fresh clone, all processes of `make test` need the same kernels in their first minute. Without
this file, each process would compile all kernels, which takes a minute of processor time. With it,
the other processes wait until the kernel is compiled.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

_held: set[str] = set()
"""The modules that this process has locked. Kernels that call each other are compiled together."""


def compile_once() -> None:
    """Make this process lock the module of each kernel that it compiles or loads."""
    compile_now: Any = Dispatcher.compile

    def compile_alone(dispatcher: Any, signature: Any) -> Any:
        with global_compiler_lock, _locked(dispatcher.py_func.__code__.co_filename):
            return compile_now(dispatcher, signature)

    setattr(Dispatcher, "compile", compile_alone)  # noqa: B010  # mypy refuses an assignment


@contextmanager
def _locked(module: str) -> Iterator[None]:
    if module in _held:
        yield
        return
    with open(module, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _held.add(module)
        try:
            yield
        finally:
            _held.remove(module)

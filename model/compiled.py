"""The only module that compiles loops, using numba, which the extra ``fast`` installs.

Each loop that can run without numba has a twin that computes the same result with NumPy. All other
loops belong to the warehouse, whose extra ``spark`` also installs numba.
"""

from collections.abc import Callable
from functools import cached_property, wraps
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from .extras import missing

Loop = TypeVar("Loop", bound=Callable[..., Any])
HAS_COMPILER = find_spec("numba") is not None
LARGE = 1 << 17
"""With fewer elements than this, NumPy has finished before numba would have been loaded."""


def compiled(
    twin: Callable[..., Any] | None = None, *, nogil: bool = False, inline: bool = False
) -> Callable[[Loop], Loop]:
    """Compile a loop at its first call; later processes load the machine code from a file.

    If numba is missing, ``twin`` runs instead; without a twin, the call raises Unavailable.
    A loop with a twin is compiled at its first call with ``LARGE`` arrays. Until then, the twin
    runs, and numba is not imported, which takes a second.
    ``nogil`` releases the interpreter's lock; ``inline`` copies the loop into the loops that call
    it.
    """

    def door(loop: Loop) -> Loop:
        if not HAS_COMPILER:
            return cast(Loop, twin or _refused(loop))
        if twin is None:
            return cast(Loop, _compiler(nogil, inline)(loop))
        return cast(Loop, TwinnedLoop(loop, twin, nogil))

    return door


def _compiler(nogil: bool, inline: bool) -> Callable[[Callable[..., Any]], Any]:
    from numba import njit

    found = njit(cache=True, nogil=nogil, inline="always" if inline else "never")
    return cast("Callable[[Callable[..., Any]], Any]", found)


class TwinnedLoop:
    """A loop that NumPy runs until the first call with large arrays."""

    def __init__(self, loop: Callable[..., Any], twin: Callable[..., Any], nogil: bool) -> None:
        self._loop, self._twin, self._nogil = loop, twin, nogil

    @cached_property
    def machine_code(self) -> Callable[..., Any]:
        """The compiled loop."""
        return cast("Callable[..., Any]", _compiler(self._nogil, False)(self._loop))

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop, or its twin."""
        if "machine_code" not in vars(self) and _elements(arguments) < LARGE:
            return self._twin(*arguments)
        return self.machine_code(*arguments)


def _elements(arguments: tuple[Any, ...]) -> int:
    return sum(int(getattr(each, "size", 1)) for each in arguments)


def _refused(loop: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(loop)
    def refused(*_: object) -> None:
        raise missing("numba")

    return refused

"""The only module that compiles loops, using numba, which the extra ``fast`` installs.

Each loop that can run without numba has a twin that computes the same result with NumPy. All other
loops belong to the warehouse, whose extra ``spark`` also installs numba.
"""

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any, TypeVar, cast

from .extras import missing

Loop = TypeVar("Loop", bound=Callable[..., Any])
HAS_COMPILER = find_spec("numba") is not None

if HAS_COMPILER:
    from numba import njit


def compiled(
    twin: Callable[..., Any] | None = None, *, nogil: bool = False, inline: bool = False
) -> Callable[[Loop], Loop]:
    """Compile a loop at its first call; later processes load the machine code from a file.

    If numba is missing, ``twin`` runs instead; without a twin, the call raises Unavailable.
    ``nogil`` releases the interpreter's lock; ``inline`` copies the loop into the loops that call
    it.
    """

    def door(loop: Loop) -> Loop:
        if not HAS_COMPILER:
            return cast(Loop, twin or _refused(loop))
        made = njit(cache=True, nogil=nogil, inline="always" if inline else "never")(loop)
        return cast(Loop, made)

    return door


def _refused(loop: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(loop)
    def refused(*_: object) -> None:
        raise missing("numba")

    return refused

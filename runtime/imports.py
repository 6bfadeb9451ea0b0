"""Keep libraries from importing pandas and scipy, which provhouse's own processes never use.

If pandas is installed, pyarrow and the Neo4j driver import it automatically; numba does the same
with scipy. Together these two imports take longer than all other imports of a command.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HIDDEN = ("pandas", "scipy")


class _Without:
    """A module finder that wraps another finder and hides some packages."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module, or None if it is hidden or not found."""
        if name in HIDDEN:
            return None
        spec: ModuleSpec | None = self._finder.find_spec(name, path, target)
        return spec


def hide_unused() -> None:
    """Make this process behave as if the hidden packages were not installed.

    Call this only in processes that run no code of users.
    """
    finders: list[Any] = sys.meta_path
    finders[:] = [
        finder if isinstance(finder, _Without) else _Without(finder) for finder in finders
    ]

"""Keep libraries from importing pandas and scipy, which provhouse's own processes never use.

Where pandas is installed, pyarrow, PySpark and the driver of Neo4j import it without being asked
to, and so does numba with scipy. Together this takes longer than all other imports of a command.
"""

import sys
from importlib.abc import MetaPathFinder

HIDDEN = ("pandas", "scipy")


class _Hidden(MetaPathFinder):
    def find_spec(self, name: str, *_: object) -> None:
        if name in HIDDEN:
            raise ModuleNotFoundError(f"This process of provhouse does without {name}", name=name)


def hide_unused() -> None:
    """Make this process behave as if these packages were not installed.

    Call this only in processes that run no code of users.
    """
    if not any(isinstance(finder, _Hidden) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Hidden())

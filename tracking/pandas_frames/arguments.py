"""The arguments that operations accept. The error for any other argument names it."""

from collections.abc import Mapping
from typing import Any

from ..refusals import untracked
from .operand import constant


def accepted(op: str, given: Mapping[str, Any], known: str) -> dict[str, Any]:
    """Return constant arguments by name. Raises NotTracked for a name outside ``known``."""
    names = known.split()
    for name, value in given.items():
        if name not in names:
            what = "Frames are not changed in place" if name == "inplace" else ""
            raise untracked(
                f"{op} with {name}=",
                what,
                f"Leave {name} out; {op} accepts: {', '.join(names) or 'no named argument'}",
            )
        constant(op, value)
    return dict(given)


def column_list(op: str, names: Any) -> list[str]:
    """Return a name or a list of names as a list. Raises NotTracked for anything else."""
    found = [names] if isinstance(names, str | int) else names
    if not isinstance(found, list | tuple) or not all(
        isinstance(each, str | int) for each in found
    ):
        raise untracked(f"{op} by a {type(names).__name__}", "", "Give names of columns")
    return list(found)

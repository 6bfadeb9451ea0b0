"""What the columns of a file must be, and how a file that is broken is told of."""

from collections.abc import Sequence

from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE
from provhouse.model.errors import BadInput

KNOWN = (SRC, DST, OP, SRC_TABLE, DST_TABLE)


def check_columns(place: str, columns: Sequence[str]) -> None:
    """Raise BadInput unless src and dst are among the columns and none is named twice."""
    missing = [name for name in (SRC, DST) if name not in columns]
    if missing:
        raise BadInput(
            f"{place} should name the columns src and dst",
            f"It has no {' and no '.join(missing)}: {_listed(columns) or 'it is empty'}",
            "Rename the columns, or name the file that was meant",
        )
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise BadInput(
            f"{place} should name each column once",
            f"It names {_listed(twice)} more than once",
            "Rename or drop one of them",
        )


def _listed(columns: Sequence[str], most: int = 20) -> str:
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def unreadable(place: str, kind: str, error: BaseException) -> BadInput:
    """What is raised for a file that is not what it claims to be."""
    why = next((line for line in str(error).splitlines() if line.strip()), "it is cut off")
    return BadInput(
        f"{place} should be readable {kind}",
        f"It is not: {why}",
        "Nothing was taken in; mend the file and run the command again",
    )

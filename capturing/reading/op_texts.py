"""The ops of captured writes, as text."""

from provhouse.model.associations import ROWS

from .description import CapturedWrite
from .tap_table import TapTable

_LONGEST = 120


def op_of(write: CapturedWrite, table: str, tap: TapTable | None) -> str:
    """Return the op of the rows that ``tap`` has written, such as ``totals: aggregate by cust``.

    If ``tap`` is None, return the op of the rows that carried source ids. If the program specifies
    an op for the write, that is the op of the main operation, and a prefix of all other ops.
    """
    if write.op and tap == _main(write):
        return write.op
    joined = sum(slot <= ROWS for slot in write.slots) > 1
    detail = tap.name if tap else "join" if joined else "row"
    text = f"{write.op or table}: {detail}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _main(write: CapturedWrite) -> TapTable | str | None:
    """Return the main operation's tap; None if rows carried source ids; otherwise ``several``."""
    if any(slot <= ROWS for slot in write.slots):
        return None
    taps = sorted(set(write.slots))
    return write.taps[taps[0]] if len(taps) == 1 else "several"

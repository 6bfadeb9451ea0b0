"""The texts of the operations of captured writes."""

from provhouse.model.associations import ROWS

from .description import CapturedWrite
from .tap_table import TapTable

_LONGEST = 120


def op_of(write: CapturedWrite, table: str, tap: TapTable | None) -> str:
    """Return the text of the operation of ``tap``.

    If ``tap`` is None, return the text of the operation of the rows that carried source ids. An
    example is ``totals: aggregate by cust``. If the program passes a text for the write, the main
    operation has this text, and the texts of the other operations begin with it.
    """
    if write.op and tap == _main(write):
        return write.op
    joined = sum(slot <= ROWS for slot in write.slots) > 1
    detail = tap.name if tap else "join" if joined else "row"
    text = f"{write.op or table}: {detail}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _main(write: CapturedWrite) -> TapTable | str | None:
    """Return the tap of the main operation, None if rows carried source ids, or ``several``."""
    if any(slot <= ROWS for slot in write.slots):
        return None
    taps = sorted(set(write.slots))
    return write.taps[taps[0]] if len(taps) == 1 else "several"

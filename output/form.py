"""The forms of a result, and the choice of a form for a destination."""

from enum import StrEnum
from pathlib import Path

from provhouse.model.errors import UsageError


class Form(StrEnum):
    """The values of ``--format``."""

    table = "table"
    json = "json"
    lines = "jsonl"
    csv = "csv"
    parquet = "parquet"


class Order(StrEnum):
    """The values of ``--order`` for JSON lines; other forms order rows by depth and name."""

    auto = "auto"
    depth = "depth"


ENDINGS = {
    ".json": Form.json,
    ".jsonl": Form.lines,
    ".ndjson": Form.lines,
    ".csv": Form.csv,
    ".parquet": Form.parquet,
    ".txt": Form.table,
}


def choose_form(form: Form | None, out: Path | None, terminal: bool) -> Form:
    """Return ``form`` if it is given; otherwise choose the form by the destination.

    The ending of a file chooses the form; a name without an ending means JSON. Without a file, the
    form is a table on a terminal and JSON elsewhere. Raises UsageError for an unknown ending, and
    for Parquet on a terminal.
    """
    if form is Form.parquet and terminal:
        raise UsageError(
            "Parquet cannot be shown on a terminal", remedy="Name a file with --out FILE.parquet"
        )
    if form:
        return form
    if out and out.suffix:
        if found := ENDINGS.get(out.suffix.lower()):
            return found
        raise UsageError(
            f"The format of {out} is unknown",
            f"Its name has none of the endings {', '.join(ENDINGS)}",
            f"Choose another name, or name the format with --format {'|'.join(Form)}",
        )
    if out:
        return Form.json
    return Form.table if terminal else Form.json

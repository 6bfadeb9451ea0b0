"""The forms in which results are written, and the choice among them."""

from enum import StrEnum
from pathlib import Path


class Form(StrEnum):
    """The values of ``--format``."""

    table = "table"
    json = "json"
    lines = "jsonl"
    csv = "csv"


ENDINGS = {".csv": Form.csv, ".jsonl": Form.lines, ".ndjson": Form.lines}


def choose_form(form: Form | None, out: Path | None, terminal: bool) -> Form:
    """Return ``form`` if it is given; otherwise choose the form by the destination.

    The ending of a file chooses the form, and an unknown ending means JSON. Without a file, the
    form is a table on a terminal and JSON elsewhere.
    """
    if form:
        return form
    if out:
        return ENDINGS.get(out.suffix.lower(), Form.json)
    return Form.table if terminal else Form.json

"""The forms of results, and the default form."""

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
    """Return the named form, or that of the file's ending, or a table if the output is a terminal.

    Otherwise return JSON.
    """
    if form:
        return form
    if out:
        return ENDINGS.get(out.suffix.lower(), Form.json)
    return Form.table if terminal else Form.json

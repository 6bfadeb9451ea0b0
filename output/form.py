"""The forms in which results can be written, and which one holds where none is named."""

from enum import StrEnum
from pathlib import Path


class Form(StrEnum):
    """What ``--format`` takes."""

    table = "table"
    json = "json"
    lines = "jsonl"
    csv = "csv"


ENDINGS = {".csv": Form.csv, ".jsonl": Form.lines, ".ndjson": Form.lines}


def choose_form(form: Form | None, out: Path | None, terminal: bool) -> Form:
    """The form that was named; else by the file's ending; else a table for people only."""
    if form:
        return form
    if out:
        return ENDINGS.get(out.suffix.lower(), Form.json)
    return Form.table if terminal else Form.json

"""The forms in which results can be written, and which one holds where none is named."""

from enum import StrEnum
from pathlib import Path


class Form(StrEnum):
    """What ``--format`` takes."""

    table = "table"
    json = "json"
    csv = "csv"


def chosen(form: Form | None, out: Path | None, terminal: bool) -> Form:
    """The form that was named; else by the file's ending; else a table for people only."""
    if form:
        return form
    if out:
        return Form.csv if out.suffix.lower() == ".csv" else Form.json
    return Form.table if terminal else Form.json

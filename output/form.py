"""The output formats of a result, and the choice of a format for a destination."""

from enum import StrEnum
from pathlib import Path

from provhouse.model.errors import UsageError
from provhouse.pictures.formats import PICTURE_ENDINGS, Picture


class Form(StrEnum):
    """The values of ``--format`` for every result."""

    table = "table"
    json = "json"
    lines = "jsonl"
    csv = "csv"
    parquet = "parquet"


AnyForm = Form | Picture


class Order(StrEnum):
    """The values of ``--order`` for JSON lines. Other formats order rows by depth and name."""

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


def choose_form(
    form: AnyForm | None, out: Path | None, terminal: bool, *, pictured: bool = False
) -> AnyForm:
    """Return ``form`` if it is given; otherwise choose a format for the destination.

    The extension of the file determines the format; a name without an extension means JSON. Without
    a file, the format is a table on a terminal, and JSON elsewhere. Raises UsageError for an
    unknown extension, for Parquet on a terminal, and for a picture of a result that is not
    ``pictured``.
    """
    found = _chosen(form, out, terminal)
    if isinstance(found, Picture) and not pictured:
        raise UsageError(
            f"This result cannot be drawn as {found}",
            "Answers with items and triples have pictures: lineage, impact, path, diff, what-if",
            f"Choose another name, or name the format with --format {'|'.join(Form)}",
        )
    return found


def _chosen(form: AnyForm | None, out: Path | None, terminal: bool) -> AnyForm:
    if form is Form.parquet and terminal:
        raise UsageError(
            "Parquet cannot be shown on a terminal", remedy="Name a file with --out FILE.parquet"
        )
    if form:
        return form
    if out and out.suffix:
        ending = out.suffix.lower()
        if found := ENDINGS.get(ending) or PICTURE_ENDINGS.get(ending):
            return found
        raise UsageError(
            f"The format of {out} is unknown",
            f"Its name has none of the endings {', '.join(ENDINGS)}",
            f"Choose another name, or name the format with --format {'|'.join(Form)}",
        )
    if out:
        return Form.json
    return Form.table if terminal else Form.json

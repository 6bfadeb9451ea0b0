"""The result of ``ingest --dry-run``: the data that an ingest of the files would add."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted, listed, names_of, steps
from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, attributes, one_row, rounded
from .ingest import passed_over, rejected, two_tables, unread

if TYPE_CHECKING:
    from provhouse.ingest.preview import Component, FileKind, Preview

FORMS = 10
"""The largest number of file kinds printed. Files of a kind have the same format and columns."""
_NAMES = 12


@dataclass(frozen=True)
class PreviewResult(ShownResult):
    """A preview: the added data, the meaning of columns, and the cut of components into sets."""

    preview: "Preview"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline and a list of details."""
        yield styled(_headline(self.preview), "bold")
        yield facts(_facts(self.preview))

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/preview.json`` describes it."""
        preview = self.preview
        names = ("files", "rows", "rejected", "items", "new_items", "two_tables", "components",
                 "sets", "tables", "passed_over", "first_passed_over", "operations",
                 "modules", "unread")  # fmt: skip
        yield {
            **attributes(preview, *names),
            "forms": list(map(_form_object, preview.forms)),
            "rejects": [asdict(reject) for reject in preview.rejects],
            "largest": [asdict(component) for component in preview.largest],
            "seconds": rounded(preview.seconds),
        }

    def csv(self) -> Csv:
        """Return one row: the counts and the total seconds."""
        counts = {n: value for n, value in asdict(self.preview).items() if isinstance(value, int)}
        return one_row({**counts, "seconds": self.preview.seconds.get("total")})


def _headline(preview: "Preview") -> str:
    rows = counted(preview.rows - preview.rejected, "row")
    files = counted(preview.files, "file")
    new = counted(preview.new_items, "new item")
    return f"{files} would add {rows} and {new}; nothing was written."


def _facts(preview: "Preview") -> Iterator[tuple[str, str]]:
    for form in preview.forms[:FORMS]:
        yield "columns", _form(form)
    if len(preview.forms) > FORMS:
        yield "", f"… {counted(len(preview.forms) - FORMS, 'more kind')} of files"
    yield (
        "items",
        f"{preview.items:,}, {preview.items - preview.new_items:,} of them already stored",
    )
    yield "tables", names_of(preview.tables)
    if preview.operations:
        yield "operations", f"{counted(preview.operations, 'op')} described"
    if preview.modules:
        yield "modules", f"{counted(preview.modules, 'module')} declared"
    components = counted(preview.components, "component")
    yield "cut into", f"{counted(preview.sets, 'new set')} in {components}"
    for component in preview.largest:
        yield "", _component(component)
    if preview.rejected:
        yield "rejected", counted(preview.rejected, "row")
        yield from rejected(preview.rejects, preview.rejected)
    yield from unread(preview.unread)
    yield from passed_over(preview.first_passed_over, preview.passed_over)
    if preview.two_tables:
        yield "two tables", two_tables(preview.two_tables)
    yield "time", steps(preview.seconds)


def _form(form: "FileKind") -> str:
    """Return the columns of files of one kind: the known columns, then the attributes."""
    known = [_known(column, means) for column, means in form.columns if "attribute" not in means]
    constants = [f"{name} is {shown(value)!r}" for name, value in form.constants]
    scope = [f"{shown(c)} as attribute and scope" for c, means in form.columns if "scope" in means]
    others = [column for column, means in form.columns if means == ("attribute",)]
    attributes = [f"attributes {listed(others, _NAMES)}"] if others else []
    more = f" and {form.files - 1:,} more" if form.files > 1 else ""
    parts = "; ".join([*known, *constants, *scope, *attributes])
    return f"{parts} ({form.format}: {shown(form.first)}{more})"


def _known(column: str, means: Sequence[str]) -> str:
    return column if list(means) == [column] else f"{' and '.join(means)} = {shown(column)}"


def _component(component: "Component") -> str:
    splits = " | ".join(
        listed([table or "(no table)" for table in split], _NAMES) for split in component.splits
    )
    new = counted(component.items, "new item")
    return f"{new} of one component, in {component.sets:,} sets: {splits}"


def _form_object(form: "FileKind") -> Json:
    columns = [{"column": c, "as": m} for c, m in form.columns]
    return {**asdict(form), "columns": columns, "constants": dict(form.constants)}

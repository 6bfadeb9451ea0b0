"""What an ingest would bring."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..layout import Section, facts, styled
from ..phrases import counted, listed, names_of, steps
from ..result import Csv, Json, Result, attributes, one_row, rounded
from .ingest import rejected, two_tables

if TYPE_CHECKING:
    from provhouse.ingest.preview import Component, Form, Preview

FORMS = 10
"""So many forms of files are shown."""
_NAMES = 12


@dataclass(frozen=True)
class PreviewResult(Result):
    """What would come in, how the columns are understood, and what would be cut how."""

    preview: "Preview"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """The one sentence that matters, then names and values, line by line."""
        yield styled(_headline(self.preview), "bold")
        yield facts(_facts(self.preview))

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/preview.json``."""
        preview = self.preview
        names = ("files", "rows", "rejected", "items", "new_items", "two_tables", "components",
                 "sets", "tables")  # fmt: skip
        yield {
            **attributes(preview, *names),
            "forms": list(map(_form_object, preview.forms)),
            "rejects": [asdict(reject) for reject in preview.rejects],
            "largest": [asdict(component) for component in preview.largest],
            "seconds": rounded(preview.seconds),
        }

    def csv(self) -> Csv:
        """One row of counts; the rest is in its JSON form."""
        counts = {n: value for n, value in asdict(self.preview).items() if isinstance(value, int)}
        return one_row({**counts, "seconds": self.preview.seconds.get("total")})


def _headline(preview: "Preview") -> str:
    rows = counted(preview.rows - preview.rejected, "row")
    files = counted(preview.files, "file")
    new = counted(preview.new_items, "new item")
    return f"{rows} and {new} would come in from {files}; nothing was written."


def _facts(preview: "Preview") -> Iterator[tuple[str, str]]:
    for form in preview.forms[:FORMS]:
        yield "columns", _form(form)
    if len(preview.forms) > FORMS:
        yield "", f"… {counted(len(preview.forms) - FORMS, 'more form')} of files"
    yield "items", f"{preview.items:,} named, {preview.items - preview.new_items:,} held already"
    yield "tables", names_of(preview.tables)
    components = counted(preview.components, "component")
    yield "cut into", f"{counted(preview.sets, 'new set')} in {components}"
    for component in preview.largest:
        yield "", _component(component)
    if preview.rejected:
        yield "rejected", f"{counted(preview.rejected, 'row')} would be put aside"
        yield from rejected(preview.rejects, preview.rejected)
    if preview.two_tables:
        yield "two tables", two_tables(preview.two_tables)
    yield "time", steps(preview.seconds)


def _form(form: "Form") -> str:
    """Known columns first, with what they are called in the files."""
    known = [_known(column, means) for column, means in form.columns if "attribute" not in means]
    scope = [f"{shown(c)} as attribute and scope" for c, means in form.columns if "scope" in means]
    others = [column for column, means in form.columns if means == ("attribute",)]
    attributes = [f"attributes {listed(others, _NAMES)}"] if others else []
    more = f" and {form.files - 1:,} more" if form.files > 1 else ""
    return f"{'; '.join([*known, *scope, *attributes])} ({form.format}: {shown(form.first)}{more})"


def _known(column: str, means: Sequence[str]) -> str:
    return column if list(means) == [column] else f"{' and '.join(means)} = {shown(column)}"


def _component(component: "Component") -> str:
    splits = " | ".join(
        listed([table or "(no table)" for table in split], _NAMES) for split in component.splits
    )
    new = counted(component.items, "new item")
    return f"{new} of one component in {component.sets:,} sets: {splits}"


def _form_object(form: "Form") -> Json:
    return {**asdict(form), "columns": [{"column": c, "as": m} for c, m in form.columns]}

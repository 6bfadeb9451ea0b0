"""What an ingest would bring, as a person reads it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from .escape import shown
from .table import counted, names_of, rejected, steps

if TYPE_CHECKING:
    from provhouse.ingest.preview import Component, FileKind, Preview

FORMS = 10
"""So many forms of files are shown."""


def headline(preview: "Preview") -> Text:
    """The one sentence that matters."""
    rows = counted(preview.rows - preview.rejected, "row")
    files = counted(preview.files, "file")
    new = counted(preview.new_items, "new item")
    return Text(f"{rows} and {new} would come in from {files}; nothing was written.", "bold")


def facts(preview: "Preview") -> Iterator[tuple[str, str]]:
    """Names and values, line by line."""
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
        items = counted(preview.two_tables, "item")
        yield "two tables", f"{items} named with more than one table; the most frequent one holds"
    yield "time", steps(preview.seconds)


def _form(form: "FileKind") -> str:
    """Known columns first, with what they are called in the files."""
    known = [_known(column, means) for column, means in form.columns if "attribute" not in means]
    scope = [f"{shown(c)} as attribute and scope" for c, means in form.columns if "scope" in means]
    others = [shown(c, 60) for c, means in form.columns if means == ("attribute",)]
    attributes = [f"attributes {_listed(others)}"] if others else []
    more = f" and {form.files - 1:,} more" if form.files > 1 else ""
    return f"{'; '.join([*known, *scope, *attributes])} ({form.format}: {shown(form.first)}{more})"


def _known(column: str, means: Sequence[str]) -> str:
    return column if list(means) == [column] else f"{' and '.join(means)} = {shown(column)}"


def _component(component: "Component") -> str:
    splits = " | ".join(
        _listed([shown(t, 60) or "(no table)" for t in s]) for s in component.splits
    )
    new = counted(component.items, "new item")
    return f"{new} of one component in {component.sets:,} sets: {splits}"


def _listed(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more

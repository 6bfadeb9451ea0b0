"""Options that say what of an answer is shown, and the part of a question that they are."""

from typing import Annotated, TypedDict

import typer

from .invocation import each_pair, utf8

TableOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TABLE",
        help="Only items of this table, and the triples that touch them; may be repeated.",
        show_default=False,
    ),
]
OpOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OP",
        help="Only triples with this op, and the items at their ends; may be repeated.",
        show_default=False,
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUE",
        help="Only triples with this attribute, and the items at their ends; may be repeated.",
        show_default=False,
    ),
]
ThroughOption = Annotated[
    str | None,
    typer.Option(metavar="TABLE", help="Only ways that pass an item of this table."),
]
LimitOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="At most so many items, the nearest, and their triples."),
]
SummaryOption = Annotated[
    bool, typer.Option("--summary", help="Count by table and by op; list neither items nor triples")
]


class Filters(TypedDict):
    """Fields of a question."""

    through: str | None
    tables: tuple[str, ...]
    ops: tuple[str, ...]
    where: tuple[tuple[str, str], ...]
    ends: bool
    limit: int | None
    summary: bool


def filters(
    through: str | None,
    tables: list[str] | None,
    ops: list[str] | None,
    where: list[str] | None,
    ends: bool,
    limit: int | None,
    summary: bool,
) -> Filters:
    """The fields of a question that these options are."""
    return Filters(
        through=None if through is None else utf8(through, "A table's name"),
        tables=tuple(utf8(name, "A table's name") for name in tables or ()),
        ops=tuple(utf8(op, "An op") for op in ops or ()),
        where=tuple(each_pair([utf8(pair, "An attribute") for pair in where or ()], "--where")),
        ends=ends,
        limit=limit,
        summary=summary,
    )

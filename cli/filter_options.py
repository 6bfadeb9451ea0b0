"""Options of `lineage` and `impact` that say what is asked: the fields of a question."""

import inspect
from typing import Annotated, Any

import typer

from provhouse.model.question import Direction, Method

from .options import AsOfOption, each_pair, utf8

ENDS: dict[Direction, Any] = {
    "upstream": Annotated[
        bool, typer.Option("--sources", help="Only items that derive from nothing themselves.")
    ],
    "downstream": Annotated[
        bool, typer.Option("--sinks", help="Only items that nothing derives from.")
    ],
}
"""The option for the field ``ends``, which is called after the ends in a direction."""


def question_fields(
    method: Annotated[
        Method, typer.Option(help="How to search; all methods give the same answer.")
    ] = "auto",
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="At most so many hops from item to item.")
    ] = None,
    through: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Only ways that pass an item of this table."),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE",
            help="Only items of this table, and the triples that touch them; may be repeated.",
            show_default=False,
        ),
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OP",
            help="Only triples with this op, and the items at their ends; may be repeated.",
            show_default=False,
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Only triples with this attribute, and the items at their ends; may be repeated.",
            show_default=False,
        ),
    ] = None,
    ends: bool = False,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="At most so many items, the nearest, and their triples."
        ),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option("--summary", help="Count by table and by op; list neither items nor triples"),
    ] = False,
    as_of: AsOfOption = None,
) -> dict[str, Any]:
    """The fields of a question that these options set; they stand in the order of the help."""
    return {
        "method": method,
        "depth": depth,
        "through": None if through is None else utf8(through, "A table's name"),
        "tables": tuple(utf8(name, "A table's name") for name in table or ()),
        "ops": tuple(utf8(one, "An op") for one in op or ()),
        "where": tuple(each_pair([utf8(pair, "An attribute") for pair in where or ()], "--where")),
        "ends": ends,
        "limit": limit,
        "summary": summary,
        "as_of": as_of,
    }


def question_options(direction: Direction) -> list[inspect.Parameter]:
    """The parameters of ``question_fields``, as those of a command for this direction."""
    return [
        parameter.replace(annotation=ENDS[direction]) if name == "ends" else parameter
        for name, parameter in inspect.signature(question_fields).parameters.items()
    ]

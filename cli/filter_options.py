"""The options of `lineage` and `impact` that set the fields of a question."""

import inspect
from typing import Annotated, Any

import typer

from provhouse.model.question import Direction, Method

from .options import AsOfOption, each_pair, utf8

ENDS: dict[Direction, Any] = {
    "upstream": Annotated[
        bool, typer.Option("--sources", help="Only items that are not derived from any item.")
    ],
    "downstream": Annotated[
        bool, typer.Option("--sinks", help="Only items that no other item is derived from.")
    ],
}
"""The option that sets a question's field ``ends``, by direction: ``--sources`` or ``--sinks``."""


def question_fields(
    method: Annotated[
        Method, typer.Option(help="How to search. All methods return the same answer.")
    ] = "auto",
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only items up to N hops away.")
    ] = None,
    through: Annotated[
        str | None, typer.Option(metavar="TABLE", help="Only paths through an item of this table.")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE", help="Only items of this table, and their triples. Repeatable."
        ),
    ] = None,
    op: Annotated[
        list[str] | None,
        typer.Option(metavar="OP", help="Only triples with this op, and their items. Repeatable."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE",
            help="Only triples with this attribute, and their items. Repeatable.",
        ),
    ] = None,
    ends: bool = False,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Only the N nearest items, and their triples."),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary", help="Show counts by table and by op instead of items and triples."
        ),
    ] = False,
    sets: Annotated[
        bool, typer.Option("--sets", help="Also show the id of each item's connected set.")
    ] = False,
    all_versions: Annotated[
        bool,
        typer.Option(
            "--all-versions", help="Ask about all versions NAME@V of the item, not only the newest."
        ),
    ] = False,
    as_of: AsOfOption = None,
) -> dict[str, Any]:
    """Return the fields of a question that these options set.

    The parameters of this function are the commands' options, in the order of the help.
    """
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
        "sets": sets,
        "all_versions": all_versions,
        "as_of": as_of,
    }


def question_options(direction: Direction) -> list[inspect.Parameter]:
    """Return the parameters of ``question_fields`` for the command ``lineage`` or ``impact``."""
    return [
        parameter.replace(annotation=ENDS[direction]) if name == "ends" else parameter
        for name, parameter in inspect.signature(question_fields).parameters.items()
    ]

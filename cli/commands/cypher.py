"""``cypher``: read what Neo4j holds."""

import json
from typing import Annotated

import typer

from provhouse.output.output import opened

from ..invocation import invocation, warehouse_id
from ..options import FormOption, SafeOption, pairs, utf8


def cypher(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One statement that only reads.")],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A parameter, JSON or else text; may be repeated.",
            show_default=False,
        ),
    ] = None,
    form: FormOption = None,
    safe: SafeOption = False,
) -> None:
    """Ask Neo4j in Cypher, read-only.

    It holds tables, components and sets and what derives from what; the server refuses to write.
    JSON is a list with one object a row.
    """
    query = utf8(query, "The query")
    parameters = {name: _value(text) for name, text in pairs(param or [], "--param").items()}
    settings = invocation(ctx).settings()
    warehouse = warehouse_id(settings)

    from provhouse.cypher.graph import shared_graph

    from ..progress_display import progress_display

    with opened(form, safe=safe) as output:
        with progress_display() as progress, shared_graph(warehouse, settings, progress) as graph:
            result = graph.read(query, parameters)
        output.rows(result.columns, result.rows)


def _value(text: str) -> object:
    text = utf8(text, "A parameter")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text

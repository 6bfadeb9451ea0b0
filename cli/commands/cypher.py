"""``cypher``: read what Neo4j holds."""

import json
from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import FormOption, SafeOption, identity, invocation, pairs, utf8


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
    warehouse = identity(settings)

    from provhouse.cypher.graph import shared_graph
    from provhouse.output.results.rows import RowsResult

    from ..progress_display import listening

    with opened(form, safe=safe) as output:
        with listening() as progress, shared_graph(warehouse, settings, progress) as graph:
            result = graph.read(query, parameters)
        output.write(RowsResult(result.columns, result.rows))


def _value(text: str) -> object:
    text = utf8(text, "A parameter")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text

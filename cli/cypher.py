"""``cypher``: read what Neo4j holds."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import NotFound

from .invocation import FormOption, invocation, pairs, utf8
from .output.output import opened

if TYPE_CHECKING:
    from provhouse.model.settings import Settings


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
) -> None:
    """Ask Neo4j in Cypher, read-only.

    It holds tables, components and sets and what derives from what; the server refuses to write.
    JSON is a list with one object a row.
    """
    query = utf8(query, "The query")
    parameters = {name: _value(text) for name, text in pairs(param or [], "--param").items()}
    settings = invocation(ctx).settings()
    warehouse = _identity(settings)

    from provhouse.cypher.graph import Graph
    from provhouse.cypher.server import connected

    from .listening import listening

    with opened(form) as output:
        with (
            listening() as progress,
            connected(settings.graph_home, settings.neo4j_memory, progress) as address,
            Graph(address, warehouse) as graph,
        ):
            result = graph.read(query, parameters)
        output.rows(result.columns, result.rows)


def _identity(settings: "Settings") -> str:
    from provhouse.store.commits import generations
    from provhouse.store.layout import Layout

    layout = Layout(settings.warehouse)
    if not generations(layout):
        raise NotFound(
            "A warehouse with something in it is needed to look at",
            f"There is none at {settings.warehouse}",
            "Ingest something, or name another one with --warehouse in front of the command",
        )
    return layout.warehouse_id()


def _value(text: str) -> object:
    text = utf8(text, "A parameter")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text

"""``cypher``: query the summary in Neo4j."""

import json
from typing import Annotated

import typer

from provhouse.output.writer import opened

from ..invocation import invocation
from ..options import FormOption, SafeOption, pairs, utf8


def cypher(
    ctx: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="A Cypher statement that only reads.")
    ],
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="A parameter of the query, as JSON or plain text. Repeatable.",
        ),
    ] = None,
    form: FormOption = None,
    safe: SafeOption = False,
) -> None:
    """Run a read-only Cypher query in Neo4j.

    Neo4j stores the tables, components and connected sets, and their derivations. Queries that
    write are refused. JSON is a list with one object for each row.
    """
    query = utf8(query, "The query")
    parameters = {name: _value(text) for name, text in pairs(param or [], "--param").items()}
    settings = invocation(ctx).settings()

    from provhouse.output.results.cypher_rows import RowsResult
    from provhouse.warehouse import Warehouse

    from ..progress_display import progress_display

    with opened(form, safe=safe) as output:
        with progress_display() as progress, Warehouse(settings, progress) as warehouse:
            result = warehouse.cypher(query, parameters)
        output.write(RowsResult(result.columns, result.rows))


def _value(text: str) -> object:
    text = utf8(text, "A parameter")
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text

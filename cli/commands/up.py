"""``up`` and ``down``: what stays warm between commands."""

import sys
from typing import Annotated, Literal

import typer

from ..invocation import invocation


def up(
    ctx: typer.Context,
    wait: Annotated[
        Literal["yes", "no"], typer.Option(help="Whether to return only when it can answer.")
    ] = "yes",
) -> None:
    """Start Neo4j and a server that keeps Spark warm, and keep them up.

    Commands then ask the server, which answers in milliseconds.
    """
    from provhouse.cypher import server as neo4j
    from provhouse.serve import process

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    with progress_display() as progress:
        address = neo4j.up(settings.graph_home, settings.neo4j_memory, progress)
        state = process.up(settings, progress, wait == "yes")
    sys.stdout.write(
        f"Neo4j is up at {address.bolt}, its Browser at {address.http}\n"
        f"The server is up at {state.address}\n"
    )


def down(ctx: typer.Context) -> None:
    """Stop what up started, or what a killed command left."""
    from provhouse.cypher import server as neo4j
    from provhouse.serve import process

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    with progress_display() as progress:
        served = process.down(settings.warehouse, progress)
        stopped = neo4j.down(settings.graph_home, progress)
    if served:
        sys.stdout.write("The server is down.\n")
    sys.stdout.write("Neo4j is down.\n" if stopped else "Neo4j was not up.\n")

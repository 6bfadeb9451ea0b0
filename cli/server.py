"""``up`` and ``down``: what stays warm between commands."""

import sys

import typer

from .invocation import invocation


def up(ctx: typer.Context) -> None:
    """Start Neo4j and keep it up, so that later commands need not."""
    from provhouse.cypher import server

    from .listening import listening

    settings = invocation(ctx).settings()
    with listening() as progress:
        address = server.up(settings.graph_home, settings.neo4j_memory, progress)
    sys.stdout.write(f"Neo4j is up at {address.bolt}, its Browser at {address.http}\n")


def down(ctx: typer.Context) -> None:
    """Stop what up started, or what a killed command left."""
    from provhouse.cypher import server

    from .listening import listening

    with listening() as progress:
        stopped = server.down(invocation(ctx).settings().graph_home, progress)
    sys.stdout.write("Neo4j is down.\n" if stopped else "Neo4j was not up.\n")

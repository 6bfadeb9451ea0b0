"""``browser``: where to look around."""

import sys

import typer

from .invocation import invocation


def browser(ctx: typer.Context) -> None:
    """Say where Neo4j Browser is and how to log in.

    Starts Neo4j where it is not up, and keeps it up. Gives queries to paste.
    """
    from provhouse.cypher import server

    from .listening import listening

    settings = invocation(ctx).settings()
    with listening() as progress:
        address = server.up(settings.graph_home, settings.neo4j_memory, progress)
    sys.stdout.write(
        f"Neo4j Browser  {address.http}\n"
        f"Connect to     {address.bolt}\n"
        f"User           {address.user}\n"
        f"Password       in {address.password_file}\n"
    )

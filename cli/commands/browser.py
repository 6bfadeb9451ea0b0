"""``browser``: how to explore the summary in Neo4j Browser."""

import sys

import typer

from ..invocation import invocation, warehouse_id


def browser(ctx: typer.Context) -> None:
    """Show how to open Neo4j Browser and log in.

    Starts Neo4j unless it is running, and keeps it running. Also prints queries to paste.
    """
    settings = invocation(ctx).settings()
    warehouse = warehouse_id(settings)

    from provhouse.cypher import guide, server

    from ..progress_display import progress_display

    with progress_display() as progress:
        address = server.up(settings.graph_home, settings.neo4j_memory, progress)
    style = settings.graph_home / "style.grass"
    style.write_text(guide.style(), encoding="utf-8")
    sys.stdout.write(
        f"Neo4j Browser  {guide.url(address)}\n"
        f"Connect URL    {address.bolt}\n"
        f"Username       {address.user}\n"
        f"Password       in {address.password_file}\n"
        f"Colours        drag {style} into the Browser window\n"
        f"Stop           provhouse down\n"
        f"\nQueries to paste:\n"
    )
    for query in guide.queries(warehouse):
        sys.stdout.write(f"\n{query.text.strip()}\n")

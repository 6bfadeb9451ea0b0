"""``browser``: where to look around."""

import sys

import typer

from ..invocation import invocation, warehouse_id


def browser(ctx: typer.Context) -> None:
    """Say where Neo4j Browser is and how to log in.

    Starts Neo4j where it is not up, and keeps it up. Gives queries to paste.
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
        f"Password       the one line in {address.password_file}\n"
        f"Colours        drop {style} onto Browser's window\n"
        f"Stop           provhouse down\n"
        f"\nPaste one of these:\n"
    )
    for query in guide.queries(warehouse):
        sys.stdout.write(f"\n{query.text.strip()}\n")

"""``up`` and ``down``: start and stop the servers that make commands fast."""

import sys
from typing import Annotated, Literal

import typer

from provhouse.model.errors import Unavailable

from ..invocation import invocation


def up(
    ctx: typer.Context,
    wait: Annotated[
        Literal["yes", "no"], typer.Option(help="Whether to wait until the server can answer.")
    ] = "yes",
) -> None:
    """Start Neo4j and the warm server, and keep them running.

    Commands then ask the server, which keeps Spark running and answers in milliseconds.
    """
    from provhouse.cypher import access as neo4j
    from provhouse.runtime.jars import fetch
    from provhouse.serve import server_process as process

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    process.check_startable(settings)  # before Neo4j is started
    with progress_display() as progress:
        try:
            fetch(progress, ["page"])
        except Unavailable as error:
            progress.say(f"The page of the server cannot show pictures: {error.found}")
        address = neo4j.up(settings, progress)
        info = process.up(settings, progress, wait == "yes")
    browser = f", Neo4j Browser at {address.http}" if address.http else ""
    sys.stdout.write(
        f"Neo4j is running at {address.bolt}{browser}\nThe server is running at {info.address}\n"
        f"Its page: {process.page_link(settings.warehouse, info)} (works once, for 10 minutes)\n"
    )


def down(ctx: typer.Context) -> None:
    """Stop Neo4j and the warm server.

    It does not matter whether `provhouse up` or a question started them, or a killed command left
    them running.
    """
    from provhouse.cypher import access as neo4j
    from provhouse.serve import server_process as process

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    with progress_display() as progress:
        managed = not settings.neo4j_uri
        neo4j_running = managed and neo4j.running(settings) is not None  # the server may stop it
        server_stopped = process.down(settings.warehouse, progress)
        neo4j_stopped = neo4j.down(settings, progress) or neo4j_running
    if server_stopped:
        sys.stdout.write("The server is stopped.\n")
    if managed:
        sys.stdout.write("Neo4j is stopped.\n" if neo4j_stopped else "Neo4j was not running.\n")
    else:
        sys.stdout.write(
            f"Neo4j at {settings.neo4j_uri} was not started by provhouse, and keeps running.\n"
        )

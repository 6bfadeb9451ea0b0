"""``mcp``: offer the questions to agents as tools of the Model Context Protocol."""

from functools import partial

import typer

from provhouse.model.extras import require

from ..invocation import invocation
from ..questions import running_client


def mcp(ctx: typer.Context) -> None:
    """Answer the questions of an agent, as tools of the Model Context Protocol (MCP).

    The agent's program starts this command, and talks to it on standard input and output. The
    command asks the warehouse's running server, or the one that --server names, and writes nothing.
    docs/agents.md has the configuration of such programs.
    """
    settings = invocation(ctx).asking()
    require("mcp")
    if settings.server:
        running_client(settings)  # a wrong address or token is an error at once

    from provhouse.serve.agents.stdio_server import serve

    serve(partial(running_client, settings))

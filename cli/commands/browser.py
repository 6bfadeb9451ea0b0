"""``browser``: how to explore the summary and single answers in Neo4j Browser."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.model.question import Direction
from provhouse.model.settings import Settings
from provhouse.output.form import Form
from provhouse.output.questions.items import AskingView
from provhouse.output.writer import opened

from ..invocation import invocation, warehouse_id
from ..options import FormOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.cypher.access import Address
    from provhouse.cypher.guide import BrowserQuery


def browser(
    ctx: typer.Context,
    item: Annotated[
        str | None,
        typer.Argument(metavar="ITEM", help="Write the lineage of this item into Neo4j."),
    ] = None,
    impact: Annotated[
        bool, typer.Option("--impact", help="Write the impact of the item instead.")
    ] = False,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only items up to N hops away.")
    ] = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove what this command wrote into Neo4j.")
    ] = False,
    form: FormOption = None,
) -> None:
    """Show how to open Neo4j Browser and log in.

    Starts Neo4j unless it is running, and keeps it running. Also prints queries to paste.

    With ITEM, writes its lineage into Neo4j for a day: the items, linked to their sets. Items of an
    answer with more than 300 are grouped by table and op. Then prints a query that shows the
    lineage.
    """
    call = invocation(ctx)
    if (remote := call.asking()).server and not clear:
        if item is None:
            raise UsageError(
                "How to log in to Neo4j is known only on the machine of the server",
                f"The setting server is {remote.server}",
                f"Open {remote.server.rstrip('/')}/#view=browser, or name an item",
            )
        _show(remote, item, impact, depth, form)
        return
    settings = call.settings()
    warehouse = warehouse_id(settings)
    if clear:
        if item is not None:
            raise UsageError("Both ITEM and --clear are given", remedy="Give one of them")
        _clear(settings, warehouse, form)
        return
    if item is None and (impact or depth is not None):
        raise UsageError("No item is named", remedy="Name one: provhouse browser ITEM")
    address = _up(settings)
    if item is None:
        _guide(address, warehouse, settings, form)
    else:
        _show(settings, item, impact, depth, form)


def _show(
    settings: Settings, item: str, impact: bool, depth: int | None, form: Form | None
) -> None:
    direction: Direction = "downstream" if impact else "upstream"
    asked = AskingView(utf8(item, "An item's name"), direction, depth)
    answer(settings, asked, OutputOptions(form))


def _up(settings: Settings) -> "Address":
    from provhouse.cypher import access

    from ..progress_display import progress_display

    with progress_display() as progress:
        return access.up(settings, progress)


def _guide(address: "Address", warehouse: str, settings: Settings, form: Form | None) -> None:
    from provhouse.cypher import guide
    from provhouse.output.results.browser_guide import BrowserGuideResult

    folder = shlex.quote(str(settings.warehouse.absolute()))
    with opened(form) as output:
        queries, empty = _queries(settings, warehouse)
        result = BrowserGuideResult(
            url=guide.url(address),
            connect=address.bolt,
            database="" if address.managed else address.database,
            user=address.user,
            password_file=str(address.password_file or ""),
            stop=f"provhouse --warehouse {folder} down" if address.managed else "",
            queries=queries,
            empty=empty,
        )
        output.write(result)


def _queries(settings: Settings, warehouse: str) -> "tuple[list[BrowserQuery], list[BrowserQuery]]":
    from provhouse.cypher.graph import shared_graph
    from provhouse.store.warehouse.layout import Layout
    from provhouse.workflows.browser_queries import browser_queries

    from ..progress_display import progress_display

    with progress_display() as progress, shared_graph(warehouse, settings, progress) as graph:
        return browser_queries(graph, Layout(settings.warehouse))


def _clear(settings: Settings, warehouse: str, form: Form | None) -> None:
    from provhouse.cypher.graph import shared_graph
    from provhouse.output.results.browser_guide import ViewsRemovedResult

    from ..progress_display import progress_display

    with opened(form) as output:
        with progress_display() as progress, shared_graph(warehouse, settings, progress) as graph:
            removed = graph.remove_views()
        output.write(ViewsRemovedResult(removed))

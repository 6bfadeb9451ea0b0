"""``subgraph``: all that is around an item."""

from typing import TYPE_CHECKING

import typer

from provhouse import questions

from ..invocation import invocation
from ..options import AsOfOption, FormOption, ItemArgument, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.subgraph import Subgraph


def subgraph(
    ctx: typer.Context,
    item: ItemArgument,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show the ancestors and descendants of an item, and the siblings of its descendants.

    A sibling is another item that a descendant was made from. JSON contains items and triples, CSV
    the triples.
    """
    name = utf8(item, "An item's name")
    settings = invocation(ctx).settings()

    answer(settings, questions.subgraph(name, as_of), _result, OutputOptions(form, out, safe=safe))


def _result(found: "Subgraph") -> "Result":
    from provhouse.output.results.subgraph import SubgraphResult

    return SubgraphResult(found)

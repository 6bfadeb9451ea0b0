"""``show``: show a part of the summary by its id."""

from enum import StrEnum
from typing import Annotated

import typer

from provhouse.output.questions.items import AskingSet

from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption
from ..questions import OutputOptions, answer


class Kind(StrEnum):
    """The values of the argument KIND."""

    set = "set"


def show(
    ctx: typer.Context,
    kind: Annotated[Kind, typer.Argument(metavar="set", help="What to show: a connected set.")],
    number: Annotated[
        int, typer.Argument(metavar="N", min=1, help="The id of the set, as a number.")
    ],
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="List up to N items.")] = 100,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show a connected set: its size, its component and its items.

    To see the ids of sets, use lineage or impact with --sets, or explain. In Neo4j, each set is a
    node with the label Set.
    """
    settings = invocation(ctx).asking()

    asked = AskingSet(number, limit, as_of)
    answer(settings, asked, OutputOptions(form, out, safe=safe))

"""The actions of ``ops`` and ``modules``: list descriptions, or set them from a file."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.model.paths import local_path
from provhouse.output.form import Form

from .invocation import invocation


class Action(StrEnum):
    """The values of the argument ACTION."""

    list = "list"
    set = "set"


ActionArgument = Annotated[Action, typer.Argument(metavar="list|set", help="What to do.")]
DescriptionsArgument = Annotated[
    Path | None,
    typer.Argument(
        parser=local_path, metavar="FILE", help="For set: the file with the descriptions."
    ),
]


def check_options(
    command: str, action: Action, file: Path | None, wait: int | None, **others: object
) -> None:
    """Raise UsageError if ``set`` has no file, or for an option that the action does not support.

    ``others`` are the options that only ``list`` has.
    """
    options: Mapping[str, object] = {"--" + name.replace("_", "-"): v for name, v in others.items()}
    if action is Action.list:
        options = {"FILE": file, "--wait": wait}
    for option in (name for name, given in options.items() if given not in (None, False)):
        raise UsageError(f"{command} {action} has no {option}", remedy="Leave it out")
    if action is Action.set and file is None:
        raise UsageError("No file is named", remedy=f"Name one: provhouse {command} set FILE")


def store(
    ctx: typer.Context,
    form: Form | None,
    wait: int | None,
    *,
    operations: Path | None = None,
    modules: Path | None = None,
) -> None:
    """Ingest a file of descriptions without triples, and write the counts of the ingest."""
    from provhouse.output.results.ingest import IngestResult
    from provhouse.output.writer import opened
    from provhouse.warehouse import Warehouse

    from .progress_display import progress_display

    settings = invocation(ctx).settings(wait_seconds=wait)
    with opened(form) as output:
        with progress_display(keep=True) as progress, Warehouse(settings, progress) as warehouse:
            summary = warehouse.ingest(operations=operations, modules=modules)
        output.write(IngestResult(summary))

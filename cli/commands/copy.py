"""``copy``: copy a warehouse to another folder or address."""

import sys
from typing import Annotated, Any

import typer

from provhouse.model.errors import UsageError
from provhouse.model.extras import require
from provhouse.model.paths import is_warehouse_address
from provhouse.model.settings import Settings

from ..invocation import invocation
from ..remote_warehouse import warehouse_place


def copy(
    ctx: typer.Context,
    source: Annotated[
        Any,
        typer.Argument(
            parser=warehouse_place, metavar="FROM", help="The folder or address of a warehouse."
        ),
    ],
    target: Annotated[
        Any,
        typer.Argument(
            parser=warehouse_place, metavar="TO", help="A folder or an address, new or empty."
        ),
    ],
) -> None:
    """Copy a warehouse, with all its generations, to another folder or address.

    Addresses are s3://BUCKET/PATH and hdfs://HOST/PATH (docs/storage.md). Does not copy settings,
    logs, and captured lineage that was not ingested. A copy that is killed can be started again,
    for a folder after deleting it.
    """
    call = invocation(ctx)
    if call.options.get("warehouse"):
        raise UsageError(
            "copy cannot be combined with --warehouse",
            "Its arguments name the two warehouses",
            "Leave out --warehouse",
        )
    require("spark")

    from provhouse.care.copying import copy as copy_warehouse

    from ..progress_display import progress_display

    place = None if is_warehouse_address(target) else target
    settings = Settings.load({**call.options, "warehouse": place or "."})
    with progress_display(keep=True) as progress:
        done = copy_warehouse(source, target if place is None else settings.warehouse, settings,
                              progress)  # fmt: skip
    sys.stdout.write(
        f"Copied {done.files:,} files of {done.bytes:,} bytes; the current generation is "
        f"{done.generation}.\n"
    )

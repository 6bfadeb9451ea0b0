"""``ops``: list the ops that are described, or describe ops."""

from typing import TYPE_CHECKING

import typer

from provhouse import questions

from ..descriptions import Action, ActionArgument, DescriptionsArgument, check_options, store
from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption, WaitOption
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.operations import Operations


def ops(
    ctx: typer.Context,
    action: ActionArgument = Action.list,
    file: DescriptionsArgument = None,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
    wait: WaitOption = None,
) -> None:
    """List the described ops: kind, function, module, SQL, job, place and exactness; or set them.

    `ops set FILE` is ingest --operations FILE without triples: a CSV, JSON lines or Parquet file
    with the column op, and any of the others. It also reads what `ops list` writes in these
    formats. The newest description of an op replaces earlier ones. No triple is read; values op
    lists all ops that triples have.
    """
    check_options("ops", action, file, wait, as_of=as_of, out=out, csv_safe=safe)
    if action is Action.set:
        store(ctx, form, wait, operations=file)
        return
    settings = invocation(ctx).settings()

    asked = questions.operations(as_of)
    answer(settings, asked, _result, OutputOptions(form, out, safe=safe))


def _result(found: "Operations") -> "Result":
    from provhouse.output.results.operations import OperationsResult

    return OperationsResult(found)

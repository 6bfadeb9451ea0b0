"""``ops``: list the ops that are described."""

from typing import TYPE_CHECKING

import typer

from provhouse import questions

from ..invocation import invocation
from ..options import AsOfOption, FormOption, OutOption, SafeOption
from ..questions import OutputOptions, answer

if TYPE_CHECKING:
    from provhouse.output.result import Result
    from provhouse.query.operations import Operations


def ops(
    ctx: typer.Context,
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """List the described ops: kind, function, module, SQL, job, place and exactness.

    Descriptions come from ingest --operations, which also reads what this command writes as CSV,
    JSON lines or Parquet. No triple is read; values op lists all ops that triples have.
    """
    settings = invocation(ctx).settings()

    asked = questions.operations(as_of)
    answer(settings, asked, _result, OutputOptions(form, out, safe=safe))


def _result(found: "Operations") -> "Result":
    from provhouse.output.results.operations import OperationsResult

    return OperationsResult(found)

"""``lineage`` and ``impact``: show what an item was derived from, or what was derived from it."""

import inspect
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.question import Direction, Question
from provhouse.output.form import Order
from provhouse.output.questions.items import AskingLineage

from ..filter_options import question_fields, question_options
from ..invocation import invocation
from ..lineage_forms import other_question
from ..options import (
    OrderOption,
    PictureFormOption,
    PictureOutOption,
    SafeOption,
    any_form,
    utf8,
)
from ..questions import OutputOptions, answer, answer_as_found, answer_many, answer_records
from ..written_page import answer_page
from ..zoom_options import FoldOption, PageOption, ZoomOption, zoom_level


def _command(name: str, direction: Direction, text: str) -> Callable[..., None]:
    """Return the command ``lineage`` or ``impact`` with the options of ``question_options``."""

    def command(
        ctx: typer.Context,
        item: Annotated[
            str | None,
            typer.Argument(
                metavar="ITEM", help="Name of the item. Put -- before a name that begins with -."
            ),
        ] = None,
        items: Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                help="Ask about many items: a UTF-8 file with one name on each line, or - for "
                "standard input.",
            ),
        ] = None,
        timing: Annotated[
            bool, typer.Option("--timing", help="Below a table, also show how long each step took.")
        ] = False,
        records: Annotated[
            bool,
            typer.Option(
                "--records",
                help="Show the items' rows, from the files that captured jobs read or wrote. "
                "Without --table, show the rows of the sources or sinks.",
            ),
        ] = False,
        both: Annotated[
            bool,
            typer.Option(
                "--both",
                help="Show the ancestors and descendants of the item, and the other items that the "
                "descendants were made from.",
            ),
        ] = False,
        origins: Annotated[
            bool,
            typer.Option(
                "--origins",
                help="Show only the sources, by table, with counts; --limit limits the names of "
                "each table.",
            ),
        ] = False,
        estimate: Annotated[
            bool,
            typer.Option(
                "--estimate",
                help="Read no triple: estimate what the question would read, and how long it would "
                "take.",
            ),
        ] = False,
        zoom: ZoomOption = None,
        fold: FoldOption = None,
        page: PageOption = None,
        form: PictureFormOption = None,
        out: PictureOutOption = None,
        safe: SafeOption = False,
        order: OrderOption = Order.auto,
        **options: Any,
    ) -> None:
        fields = question_fields(**options)
        chosen = {"--both": both, "--origins": origins, "--estimate": estimate}
        if wanted := [option for option, is_given in chosen.items() if is_given]:
            others = {"--items": items, "--records": records, "--zoom": zoom, "--fold": fold,
                      "--page": page, "--timing": timing}  # fmt: skip
            other = other_question(item, direction, wanted, fields, others)
            output = OutputOptions(any_form(form), out, safe=safe)
            answer(invocation(ctx).asking(), other, output)
            return
        if level := zoom_level(zoom, fold):
            from provhouse.output.questions.levels import AskingZoom

            _check_alone("--zoom", items, fields["summary"], records)
            name = utf8(item or "", "An item's name")
            folded, foldable = tuple(fold or ()), page is not None
            asked = AskingZoom(
                name, direction, **fields, zoom=level, fold=folded, foldable=foldable
            )
            if page:
                answer_page(invocation(ctx).asking(), asked, page, bool(form or out))
                return
            answer(
                invocation(ctx).asking(), asked, OutputOptions(any_form(form), out, timing, safe)
            )
            return
        if page:
            raise UsageError(
                "--page is given without a level",
                "A page shows modules, tables, sets or records",
                "Add --zoom module",
            )
        if records:
            fields["ends"] = fields["ends"] or not fields["tables"]
            _check_alone("--records", items, fields["summary"])
        question = partial(Question, direction=direction, **fields)
        output = OutputOptions(any_form(form), out, timing, safe, order, records)
        _ask(ctx, question, item, items, output)

    ctx, item, items, *output, _ = inspect.signature(command).parameters.values()
    if direction == "downstream":
        output = [each for each in output if each.name not in ("both", "origins")]
    parameters = [ctx, item, items, *question_options(direction), *output]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__name__, command.__doc__ = name, text
    return command


lineage = _command(
    "lineage",
    "upstream",
    """Show the lineage of an item: everything it was derived from.

    JSON contains items and triples, CSV the items (item, table, depth). With --items, JSON is one
    object on each line, and the first column of CSV is the item of the question. If some of the
    items are missing, the exit status is 3.

    The result matches all given filters. Repeating --table, --op, or --where with the same key
    accepts any of the values. --op and --where keep the items at the ends of matching triples.
    --table keeps the triples from or to the items of that table.
    """,
)
impact = _command(
    "impact",
    "downstream",
    """Show the impact of an item: everything derived from it.

    Options and formats are the same as for lineage, with --sinks instead of --sources.
    """,
)


def _check_alone(what: str, items: Path | None, summary: bool, records: bool = False) -> None:
    """Raise UsageError for options that --records or --zoom cannot be combined with."""
    given = {"--items": items is not None, "--summary": summary, "--records": records}
    for option in (name for name, is_given in given.items() if is_given):
        raise UsageError(
            f"{what} and {option} are given",
            f"{what} shows the answer about one item in another form",
            f"Leave out {option}, or {what}",
        )


def _ask(
    ctx: typer.Context,
    question: Callable[[str], Question],
    item: str | None,
    items: Path | None,
    output: OutputOptions,
) -> None:
    if (item is None) == (items is None):
        raise UsageError(
            "No item is named" if item is None else "Both ITEM and --items are given",
            "A question is about one item, or about the items in a file",
            "Give ITEM or --items FILE",
        )
    names = [utf8(item, "An item's name")] if item is not None else _names(items)
    settings = invocation(ctx).asking()
    if output.records:
        answer_records(settings, question(names[0]), output)
    elif items is None and output.as_found:
        answer_as_found(settings, question(names[0]), output)
    elif items is None:
        answer(settings, AskingLineage(question(names[0])), output)
    elif absent := answer_many(settings, [question(name) for name in names], output):
        verb = "is" if absent.count == 1 else "are"
        raise NotFound(
            f"{absent.count:,} of {len(names):,} items {verb} missing",
            f"The first is {absent.first!r}",
        )


def _names(file: Path | None) -> list[str]:
    """Return the names in a file, one on each line; empty lines are skipped."""
    assert file is not None
    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"Cannot read names from {file}", str(error), "Write one name on each line, in UTF-8"
        ) from error
    return [name for line in text.split("\n") if (name := line.removesuffix("\r"))]

"""``why``: show the derivations behind an item, its value or existence, or a change of it."""

from typing import Annotated, Any

import typer

from provhouse.model.errors import UsageError
from provhouse.model.semiring import Semiring
from provhouse.output.questions.asking import Asking
from provhouse.output.questions.derivation_questions import (
    AskingDepends,
    AskingEvaluate,
    AskingWhy,
    AskingWhyChanged,
)
from provhouse.weights import read_weights

from ..invocation import invocation
from ..options import AsOfOption, FormOption, ItemArgument, OutOption, SafeOption, utf8
from ..questions import OutputOptions, answer
from .evaluate import AggregatesOption, WeightsOption


def why(
    ctx: typer.Context,
    item: ItemArgument,
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="Show at most N inputs, the nearest first.")
    ] = 100,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="OTHER", help="Show whether the item would exist without this other item."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="GENERATION|TIME",
            help="Show why an aggregate changed since this generation: its number, or a time as "
            "for --as-of.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="GENERATION|TIME",
            help="With --from, the later generation. Default: the current one.",
        ),
    ] = None,
    semiring: Annotated[
        Semiring | None,
        typer.Option(help="Compute trust, access, cost or a count over the derivations."),
    ] = None,
    weights: WeightsOption = None,
    aggregates: AggregatesOption = "any",
    as_of: AsOfOption = None,
    form: FormOption = None,
    out: OutOption = None,
    safe: SafeOption = False,
) -> None:
    """Show the derivations of an item: the inputs that made it together, and the alternatives.

    Inputs that are needed together are joined by &, alternatives by |. Inputs behind a change of an
    aggregate (--from) are ranked by their share of the difference. With --on, the answer is yes, no
    or undecided, and has a smallest set of up to three sources whose deletion would delete the
    item. With --semiring, alternatives give the largest trust, the lowest access level, the lowest
    cost or the sum of counts; joint inputs give the product of trust or counts, the highest level,
    or the sum of costs. docs/derivations.md and docs/what-if.md explain each.
    """
    name = utf8(item, "An item's name")
    _check_one({"--on": on, "--from": since, "--semiring": semiring})
    _check_with("--semiring", semiring, {"--weights": weights, "--aggregates": aggregates != "any"})
    _check_with("--from", since, {"--to": until})
    asked: Asking[Any] = AskingWhy(name, limit, as_of)
    if on is not None:
        asked = AskingDepends(name, utf8(on, "An item's name"), as_of)
    elif since is not None:
        _check_one({"--from": since, "--as-of": as_of})
        asked = AskingWhyChanged(name, since, until, limit)
    elif semiring is not None:
        given = read_weights(weights) if weights else {}
        asked = AskingEvaluate(name, semiring, tuple(given.items()), aggregates, as_of)
    answer(invocation(ctx).asking(), asked, OutputOptions(form, out, safe=safe))


def _check_one(options: dict[str, object]) -> None:
    """Raise UsageError if more than one of ``options`` is given."""
    given = [name for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise UsageError(
            f"{given[0]} and {given[1]} are given together",
            "Each asks another question",
            f"Leave out {given[1]}",
        )


def _check_with(main: str, given: object, options: dict[str, object]) -> None:
    """Raise UsageError if one of ``options`` is given without the option ``main`` that it needs."""
    for name in (name for name, value in options.items() if value and given is None):
        raise UsageError(f"{name} is given without {main}", remedy=f"Add {main}, or leave it out")

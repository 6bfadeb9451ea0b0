"""Options and arguments that several commands share, and their values as commands need them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.form import Form

FormOption = Annotated[
    Form | None,
    typer.Option(
        "--format",
        help="How the result is written: [table] on a terminal, json otherwise, or by the ending "
        "of --out.",
        show_default=False,
    ),
]
SafeOption = Annotated[
    bool,
    typer.Option(
        "--csv-safe",
        help="In CSV, put ' before text that a spreadsheet would take for a formula.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write there, as its ending says: .json or .csv."),
]

AsOfOption = Annotated[
    str | None,
    typer.Option(
        metavar="GENERATION|TIME",
        help="Answer as things stood then: a generation's number, or a time in ISO 8601, a date "
        "meaning its end; local unless it names a zone.",
        show_default=False,
    ),
]
ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ITEM", help="The name of an item; one that begins with - stands behind --."
    ),
]
DownstreamOption = Annotated[
    bool,
    typer.Option("--downstream/--upstream", help="What it reached, instead of where it is from."),
]


def each_pair(texts: Sequence[str], option: str) -> Iterator[tuple[str, str]]:
    """Options of the form NAME=VALUE, in their order."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(
                f"{option} should be followed by NAME=VALUE", f"It is followed by {text!r}"
            )
        yield name, value


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """The same as a mapping; the last one of a name holds."""
    return dict(each_pair(texts, option))


def utf8(text: str, what: str) -> str:
    """The text of an argument, which a terminal may have given in another encoding."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} should be UTF-8", f"It is {text!r}") from error
    return text


def check_run(run: str) -> None:
    """Raise UsageError for a run without a name, or with one that is no text."""
    utf8(run, "The name of a run")
    if not run:
        raise UsageError("A run should have a name", "It is empty", "Give another --run, or none")

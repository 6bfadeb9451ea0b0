"""Options and arguments that several commands share, and checks of their values."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import UsageError
from provhouse.output.form import AnyForm, Form, Order
from provhouse.pictures.formats import PICTURE_ENDINGS, Picture

FormOption = Annotated[
    Form | None,
    typer.Option(
        "--format",
        help="Format of the result. Default: by the ending of --out, or table on a terminal, else "
        "json.",
    ),
]


class PictureForm(StrEnum):
    """The values of ``--format`` for results with pictures: those of ``Form`` and ``Picture``."""

    table = "table"
    json = "json"
    lines = "jsonl"
    csv = "csv"
    parquet = "parquet"
    svg = "svg"
    dot = "dot"
    mermaid = "mermaid"
    html = "html"


PictureFormOption = Annotated[
    PictureForm | None,
    typer.Option(
        "--format",
        help="Format of the result: rows, or a picture as SVG, DOT, Mermaid or HTML. Default: by "
        "the ending of --out, or table on a terminal, else json.",
    ),
]
WaitOption = Annotated[
    int | None,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0,
        help="If another process is writing, wait up to SECONDS for it. Default: fail at once.",
    ),
]
SafeOption = Annotated[
    bool,
    typer.Option(
        "--csv-safe", help="In CSV, put ' before text that a spreadsheet would run as a formula."
    ),
]
OrderOption = Annotated[
    Order,
    typer.Option(
        "--order",
        help="In JSON lines, auto writes an answer of over a million items as it is found: by "
        "depth, but unsorted within a depth. depth sorts it by depth, then name.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write the result to a file: .json, .jsonl, .csv, .parquet or .txt."
    ),
]

AsOfOption = Annotated[
    str | None,
    typer.Option(
        metavar="GENERATION|TIME",
        help="Answer from an earlier generation: its number, or an ISO 8601 time. A date means the "
        "end of that day. Times are local unless they name a time zone.",
    ),
]
ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ITEM", help="Name of the item. Put -- before a name that begins with -."
    ),
]
DownstreamOption = Annotated[
    bool,
    typer.Option(
        "--downstream/--upstream", help="Use the impact of the item instead of its lineage."
    ),
]

PictureOutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the result to a file: .json, .jsonl, .csv, .parquet or .txt; or a picture: "
        ".svg, .dot, .mmd or .html.",
    ),
]


def any_form(given: PictureForm | Form | None) -> AnyForm | None:
    """Return the format that ``--format`` names: a ``Form`` for rows, or a ``Picture``."""
    if given is None:
        return None
    name = given.value
    return Picture(name) if name in PICTURE_ENDINGS.values() else Form(name)


def each_pair(texts: Sequence[str], option: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each option of the form NAME=VALUE, in order."""
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(
                f"The value of {option} is not of the form NAME=VALUE", f"It is {text!r}"
            )
        yield name, value


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """Return options of the form NAME=VALUE as a mapping; of repeated names, the last counts."""
    return dict(each_pair(texts, option))


def utf8(text: str, what: str) -> str:
    """Return an argument unchanged; raise UsageError if it is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} is not UTF-8", f"It is {text!r}") from error
    return text

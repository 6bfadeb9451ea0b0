"""What one command was called with, before it knows which settings hold."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.model.settings import Settings
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


@dataclass
class Invocation:
    """The settings named on the command line, in front of the command."""

    options: dict[str, object] = field(default_factory=dict)

    def settings(self, **options: object) -> Settings:
        """The settings that hold, with those that the command itself names winning."""
        named = {name: value for name, value in options.items() if value is not None}
        return Settings.load({**self.options, **named})

    def logs(self) -> Path:
        """Where a traceback may lie: with the warehouse where there is one."""
        try:
            warehouse = self.settings().warehouse
        except ProvhouseError:
            return Path(tempfile.gettempdir())
        return warehouse / "logs" if warehouse.is_dir() else Path(tempfile.gettempdir())


def invocation(ctx: typer.Context) -> Invocation:
    """The invocation that ``main`` began, or a new one for a caller that gave none."""
    return ctx.ensure_object(Invocation)


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


def identity(settings: Settings) -> str:
    """The id that the warehouse's nodes carry; raises NotFound where nothing was ingested."""
    from provhouse.store.warehouse.commits import generations, nothing_stored
    from provhouse.store.warehouse.layout import Layout

    layout = Layout(settings.warehouse)
    if not generations(layout):
        raise nothing_stored(layout)
    return layout.warehouse_id()

"""One call of a command: its global options, and the settings that result from them."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import typer

from provhouse.model.command import COMMAND
from provhouse.model.errors import NotFound, ProvhouseError, UsageError
from provhouse.model.extras import require
from provhouse.model.settings import Settings


@dataclass
class CommandCall:
    """The global options of one call, given before the name of the command."""

    options: dict[str, object] = field(default_factory=dict)

    def settings(self, **options: object) -> Settings:
        """Return the settings of a command that reads or writes a warehouse, as ``local`` does.

        Raises Unavailable if the packages for this are not installed.
        """
        found = self.local(**options)
        require("spark")
        return found

    def local(self, **options: object) -> Settings:
        """Return the settings. ``options`` are the command's own, and override all other sources.

        Raises UsageError if the settings name a server, because a server accepts only questions.
        """
        named = {name: value for name, value in options.items() if value is not None}
        settings = Settings.load({**self.options, **named})
        if settings.server:
            raise UsageError(
                f"`provhouse {COMMAND.get()}` needs the files of a warehouse",
                f"The setting server is {settings.server}, and only questions can be asked there",
                "Run it on the machine of the warehouse, without --server and PROVHOUSE_SERVER",
            )
        return settings

    def asking(self) -> Settings:
        """Return the settings of a command that asks a question, perhaps of a remote server."""
        return Settings.load(self.options)

    def logs(self) -> Path:
        """Return the folder for a traceback: the warehouse's logs, or the temporary folder."""
        try:
            warehouse = self.asking().warehouse
        except ProvhouseError:
            return Path(tempfile.gettempdir())
        return warehouse / "logs" if warehouse.is_dir() else Path(tempfile.gettempdir())


def invocation(ctx: typer.Context) -> CommandCall:
    """Return the call that ``run`` created, or a new call if there is none."""
    return ctx.ensure_object(CommandCall)


def warehouse_id(settings: Settings) -> str:
    """Return the id that marks the warehouse's nodes in Neo4j.

    Raises NotFound if nothing was ingested.
    """
    from provhouse.store.warehouse.commits import generations
    from provhouse.store.warehouse.layout import Layout

    layout = Layout(settings.warehouse)
    if not generations(layout):
        raise NotFound(
            f"The warehouse {settings.warehouse} is empty or missing",
            "Nothing has been ingested",
            "Ingest something, or choose another with `provhouse --warehouse DIR`",
        )
    return layout.warehouse_id()

"""One call of a command: its global options, and the settings that result from them."""

import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import typer

from provhouse.model.command import COMMAND
from provhouse.model.errors import NotFound, ProvhouseError, UsageError
from provhouse.model.extras import require
from provhouse.model.paths import is_warehouse_address
from provhouse.model.settings import PREFIX, Settings

from .remote_warehouse import refuse_remote, used


@dataclass
class CommandCall:
    """The global options of one call, given before the name of the command."""

    options: dict[str, object] = field(default_factory=dict)
    stack: ExitStack = field(default_factory=ExitStack)
    """The working folder of a remote warehouse, in use until the call ends."""
    folder: Path | None = None
    """The working folder of a remote warehouse, once it is in use."""

    @property
    def address(self) -> str | None:
        """The address of the warehouse, or None if it is a folder of this machine."""
        given = str(self.options.get("warehouse") or os.environ.get(f"{PREFIX}WAREHOUSE", ""))
        return given if is_warehouse_address(given) else None

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
        settings = self._loaded(named)
        if settings.server:
            raise UsageError(
                f"`provhouse {COMMAND.get()}` needs the files of a warehouse",
                f"The setting server is {settings.server}, and only questions can be asked there",
                "Run it on the machine of the warehouse, without --server and PROVHOUSE_SERVER",
            )
        return settings

    def asking(self) -> Settings:
        """Return the settings of a command that asks a question, perhaps of a remote server."""
        return self._loaded({})

    def logs(self) -> Path:
        """Return the folder for a traceback: the warehouse's logs, or the temporary folder."""
        try:
            warehouse = self.folder or Settings.load(self.options).warehouse
        except ProvhouseError:
            return Path(tempfile.gettempdir())
        return warehouse / "logs" if warehouse.is_dir() else Path(tempfile.gettempdir())

    def refuse_remote(self, wanted: str) -> None:
        """Raise UsageError, in the name of an option, if the warehouse is not on this machine."""
        if self.address:
            raise refuse_remote(wanted, self.address)

    def _loaded(self, named: dict[str, object]) -> Settings:
        """Return the settings; the warehouse of an address is its up-to-date working folder."""
        if not self.address:
            return Settings.load({**self.options, **named})
        options = {**self.options, **named}
        if self.folder is None:
            settings = self.stack.enter_context(used(self.address, options))
            self.folder = settings.warehouse
            return settings
        return Settings.load({**options, "warehouse": self.folder, "idle_minutes": 0})


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

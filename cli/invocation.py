"""What one command was called with, before it knows which settings hold."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import typer

from provhouse.model.errors import NotFound, ProvhouseError
from provhouse.model.settings import Settings


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


def warehouse_id(settings: Settings) -> str:
    """The id that the warehouse's nodes carry; raises NotFound where nothing was ingested."""
    from provhouse.store.warehouse.commits import generations
    from provhouse.store.warehouse.layout import Layout

    layout = Layout(settings.warehouse)
    if not generations(layout):
        raise NotFound(
            "A warehouse with something in it is needed to look at",
            f"There is none at {settings.warehouse}",
            "Ingest something, or name another one with --warehouse in front of the command",
        )
    return layout.warehouse_id()

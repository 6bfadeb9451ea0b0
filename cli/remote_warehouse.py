"""Warehouses at addresses: which commands use them, and the settings with their working folder."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from provhouse.model.command import COMMAND
from provhouse.model.errors import UsageError
from provhouse.model.extras import require
from provhouse.model.paths import is_warehouse_address, local_path
from provhouse.model.settings import Settings

NOT_REMOTE = {
    "up": "A server would not see what other machines publish",
    "down": "A warehouse at an address has no server",
    "token": "A warehouse at an address has no server",
    "mcp": "It needs a server, which would not see what other machines publish",
    "browser": "Its Neo4j is changed by every command that finds something published",
    "crossfilter": "Its page would not see what other machines publish",
    "run-spark": "Captured lineage names files of this machine",
    "spark-conf": "Captured lineage names files of this machine",
    "ingest --captured": "Captured lineage names files of this machine",
    "dbt": "The states of its tables name files of this machine",
    "revisions": "The stored results of workflows name files of this machine",
    "executions": "The stored results of workflows name files of this machine",
    "reuse": "The stored results of workflows name files of this machine",
}
"""The commands that refuse a warehouse at an address, each with the reason."""
WRITING = (
    "ingest", "import", "ops", "modules", "retract", "rollback", "tidy", "compact", "prune",
    "forget", "check", "repair",
)  # fmt: skip
"""The commands that may write. They may have to delete the store of Neo4j first.

No process may use the store meanwhile, not even this one.
"""
READING_PARTS = ("lineage", "impact", "path", "diff", "find", "status")
"""The commands that fetch partitions only when they read them; others read most partitions."""
LOCAL_NEO4J = ("neo4j_home", "neo4j_uri")
"""The settings of a Neo4j that other warehouses may use; a working folder has its own."""


def warehouse_place(text: str) -> Path | str:
    """Return the folder of a warehouse as a Path, and its address as the given string."""
    return text if is_warehouse_address(text) else local_path(text)


def refuse_remote(wanted: str, address: str) -> UsageError:
    """Return the error of a command that needs a local warehouse."""
    return UsageError(
        f"`provhouse {wanted}` needs a warehouse on this machine, and not {address}",
        NOT_REMOTE[wanted],
        "Copy the warehouse: provhouse copy ADDRESS DIR",
    )


@contextmanager
def used(address: str, options: Mapping[str, object]) -> Iterator[Settings]:
    """Use the working folder of the warehouse at an address, and bring it up to date.

    Raises UsageError if the command or a setting does not suit such a warehouse.
    """
    command = COMMAND.get()
    if command in NOT_REMOTE:
        raise refuse_remote(command, address)
    require("spark")

    from provhouse.commit.graph_of_remote import brought_up_to_date
    from provhouse.store.warehouse.at_address import objects_at, opened

    from .progress_display import progress_display

    with opened(objects_at(address)) as folder:
        settings = Settings.load({**options, "warehouse": folder})
        if settings.idle_minutes not in (0, Settings.idle_minutes):
            raise UsageError(
                "The setting idle_minutes does not suit a warehouse at an address",
                f"It is {settings.idle_minutes}, and questions start no server there",
                "Leave it out: unset PROVHOUSE_IDLE_MINUTES",
            )
        settings = replace(settings, idle_minutes=0)
        for name in LOCAL_NEO4J:
            if getattr(settings, name):
                raise UsageError(
                    f"The setting {name} does not suit a warehouse at an address",
                    f"It is {getattr(settings, name)}, and each machine loads a Neo4j of its own",
                    f"Leave it out: unset PROVHOUSE_{name.upper()}",
                )
        with ExitStack() as stack:
            with progress_display() as progress:
                keep, whole = command not in WRITING, command not in READING_PARTS
                stack.enter_context(
                    brought_up_to_date(settings, progress, keep_graph=keep, whole=whole)
                )
            yield settings

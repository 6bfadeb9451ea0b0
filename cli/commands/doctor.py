"""``doctor``: what this machine lacks, and how to get it."""

import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import ProvhouseError, Unavailable

from ..invocation import invocation

if TYPE_CHECKING:
    from provhouse.model.settings import Settings

_ROOM = 10**9


def doctor(
    ctx: typer.Context,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="First get missing jars, and what makes starts quick.")
    ] = False,
) -> None:
    """Say what this machine lacks and how to get it.

    Exit status 5 if anything does.
    """
    from rich.text import Text

    from provhouse.output.escape import shown
    from provhouse.output.table import console, grid

    from ..progress_display import progress_display

    settings = invocation(ctx).settings()
    if fetch:
        from ..prepare import prepare

        with progress_display() as progress:
            prepare(progress)
    table = grid("what", "", "found")
    lacking: list[ProvhouseError] = []
    for what, look in _CHECKS.items():
        try:
            table.add_row(what, Text("ok", "green"), Text(shown(look(settings))))
        except ProvhouseError as error:
            lacking.append(error)
            table.add_row(what, Text("missing", "red"), Text(shown(error.found)))
            table.add_row("", "", Text(shown(error.remedy), "bold"))
    console(sys.stdout).print(table)
    if lacking:
        raise typer.Exit(Unavailable.exit_status)


def _java(settings: "Settings") -> str:
    from provhouse.runtime.java import java

    return str(java())


def _jars(settings: "Settings") -> str:
    from provhouse.runtime.jars import GROUPS, jar_folder

    return ", ".join(str(jar_folder(group)) for group in GROUPS)


def _disk(settings: "Settings") -> str:
    """The warehouse's folder, or the one that it would be made in, takes a file and has room."""
    folder = next(
        path for path in (settings.warehouse, *settings.warehouse.parents) if path.exists()
    )
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        raise Unavailable(
            "The warehouse should be writable",
            f"{folder} is not: {error.strerror}",
            "Make it writable, or name another one: provhouse --warehouse DIR …",
        ) from error
    if free < _ROOM:
        raise Unavailable(
            "There should be room", f"{folder} has {free / 1e6:.0f} MB left", "Make room for 1 GB"
        )
    return f"{folder} is writable, with {free / 1e9:.0f} GB left"


def _memory(settings: "Settings") -> str:
    """Both heaps, and half as much again for what lies beside a heap."""
    needed = (_bytes(settings.spark_memory) + _bytes(settings.neo4j_memory)) * 3 // 2
    free = _available()
    if free < needed:
        raise Unavailable(
            f"Spark and Neo4j should find {needed / 1e9:.1f} GB",
            f"{free / 1e9:.1f} GB are free, and {needed / 1e9:.1f} GB may be needed",
            "Free some, or lower the settings spark_memory and neo4j_memory",
        )
    return f"{free / 1e9:.1f} GB free, {needed / 1e9:.1f} GB may be needed"


def _available() -> int:
    """Bytes that programs can get, as Linux estimates them."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return int(values["MemAvailable"].split()[0]) * 1024


def _bytes(heap: str) -> int:
    """A Java heap size: a number with k, m, g or none of them."""
    number, power = heap[:-1], "bkmgt".find(heap[-1:].lower())
    if power < 0:
        number, power = heap, 0
    return int(number) * 1024**power if number.isdigit() else 0


def _ports(settings: "Settings") -> str:
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return f"127.0.0.1 takes servers, on port {listener.getsockname()[1]} for one"
    except OSError as error:
        raise Unavailable(
            "Neo4j listens on 127.0.0.1",
            f"No port can be opened there: {error.strerror}",
            "Bring the loopback interface up, or allow this program to listen",
        ) from error


_CHECKS: dict[str, "Callable[[Settings], str]"] = {
    "Java": _java,
    "jars": _jars,
    "disk": _disk,
    "memory": _memory,
    "ports": _ports,
}

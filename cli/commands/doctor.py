"""``doctor``: show what is missing on this machine."""

import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.extras import require

from ..invocation import invocation

if TYPE_CHECKING:
    from provhouse.model.settings import Settings

_FREE_BYTES = 10**9
_LEAST_MEMORY = 10**9
"""The bytes of memory that a small ingest and its questions need, with Spark and Neo4j."""


def doctor(
    ctx: typer.Context,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            help="First download missing jars, and prepare Spark and Neo4j for quick starts.",
        ),
    ] = False,
) -> None:
    """Show what is missing on this machine, and how to get it.

    The exit status is 5 if anything is missing.
    """
    from rich.text import Text

    from provhouse.output.escape import shown
    from provhouse.output.sections import grid
    from provhouse.output.table import console

    from ..progress_display import progress_display

    settings = invocation(ctx).local()
    if fetch:
        require("spark")
        from ..prepare import prepare

        with progress_display() as progress:
            prepare(progress)
    table = grid("requirement", "", "found")
    missing: list[ProvhouseError] = []
    for name, check in _CHECKS.items():
        try:
            table.add_row(name, Text("ok", "green"), Text(shown(check(settings))))
        except ProvhouseError as error:
            missing.append(error)
            table.add_row(name, Text("missing", "red"), Text(shown(error.found)))
            table.add_row("", "", Text(shown(error.remedy.partition("\n")[0]), "bold"))
    console(sys.stdout).print(table)
    for fault in missing:  # statements to be copied, which no table should break
        for line in fault.remedy.splitlines()[1:]:
            sys.stdout.write(f"{line}\n")
    if missing:
        raise typer.Exit(Unavailable.exit_status)


def _packages(settings: "Settings") -> str:
    require("spark")
    return "all packages for a warehouse are installed"


def _java(settings: "Settings") -> str:
    from provhouse.runtime.java import java

    return str(java())


def _jars(settings: "Settings") -> str:
    from provhouse.runtime.jars import GROUPS, jar_folder

    return ", ".join(str(jar_folder(group, again=True)) for group in GROUPS)


def _disk(settings: "Settings") -> str:
    """Check that the warehouse's folder, or its nearest parent, is writable and has space."""
    folder = next(
        path for path in (settings.warehouse, *settings.warehouse.parents) if path.exists()
    )
    try:
        with tempfile.TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        raise Unavailable(
            "The warehouse is not writable",
            f"Cannot write to {folder}: {error.strerror}",
            "Change the folder's permissions, or choose another warehouse with "
            "`provhouse --warehouse DIR`",
        ) from error
    if free < _FREE_BYTES:
        raise Unavailable(
            "The disk is almost full",
            f"{folder} has {free / 1e6:.0f} MB left",
            "Free at least 1 GB",
        )
    return f"{folder} is writable, with {free / 1e9:.0f} GB left"


def _memory(settings: "Settings") -> str:
    """Check that the free memory suffices for small warehouses; report what large ones may need.

    A large warehouse may need 1.5 times the sum of the Java heaps of Spark and Neo4j.
    """
    from provhouse.runtime.free_memory import free_memory

    neo4j = 0 if settings.neo4j_uri else _bytes(settings.neo4j_memory)
    return _judged(free_memory(), (_bytes(settings.spark_memory) + neo4j) * 3 // 2)


def _judged(free: int, most: int) -> str:
    if free < _LEAST_MEMORY:
        raise Unavailable(
            "Spark and Neo4j do not have enough memory",
            f"{free / 1e9:.1f} GB are free, and at least {_LEAST_MEMORY / 1e9:.0f} GB is needed",
            "Free some memory",
        )
    found = f"{free / 1e9:.1f} GB free"
    if free >= most:
        return f"{found}, large warehouses take up to {most / 1e9:.1f} GB"
    return (
        f"{found}, enough for small warehouses; large ones take up to {most / 1e9:.1f} GB, unless "
        "you lower the settings spark_memory and neo4j_memory"
    )


def _bytes(heap: str) -> int:
    """Return the size of a Java heap in bytes.

    ``heap`` is a number, optionally followed by a unit such as k, m or g. For any other string,
    return 0.
    """
    number, power = heap[:-1], "bkmgt".find(heap[-1:].lower())
    if power < 0:
        number, power = heap, 0
    return int(number) * 1024**power if number.isdigit() else 0


def _ports(settings: "Settings") -> str:
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return f"127.0.0.1 accepts servers, for example on port {listener.getsockname()[1]}"
    except OSError as error:
        raise Unavailable(
            "Servers cannot listen on 127.0.0.1",
            f"Cannot open a port: {error.strerror}",
            "Bring up the loopback interface, or allow this program to listen",
        ) from error


def _neo4j(settings: "Settings") -> str:
    """Check that the server in the setting neo4j_uri can be used, and what its user may do."""
    if not settings.neo4j_uri:
        return f"provhouse runs one in {settings.graph_home}"
    from provhouse.cypher.rights import examine

    found = examine(settings)
    created = f"the first ingest creates {found.to_create} constraints" if found.to_create else (
        "all constraints exist"
    )  # fmt: skip
    foreign = (
        f"; other constraints on labels of provhouse, which may refuse its nodes: "
        f"{', '.join(found.foreign)}"
        if found.foreign
        else ""
    )
    where = f"{found.address.bolt}, database {found.address.database}"
    return f"{found.version} at {where}; its user may write; {created}{foreign}"


_CHECKS: dict[str, "Callable[[Settings], str]"] = {
    "packages": _packages,
    "Java": _java,
    "jars": _jars,
    "disk": _disk,
    "memory": _memory,
    "ports": _ports,
    "Neo4j": _neo4j,
}

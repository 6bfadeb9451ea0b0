"""A small warehouse that has been through the commands that write, and what each one told."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.changes.compact import compact
from provhouse.changes.forget import forget
from provhouse.changes.retract import Selection, retract
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.preview import preview
from provhouse.model.progress import Silent
from provhouse.query.export import export_warehouse

FIRST = [
    *(Triple(f"raw:{n}", f"clean:{n}", "clean", "raw", "clean") for n in range(6)),
    *(Triple(f"clean:{n}", f"sum:{n // 3}", "sum", "clean", "sum") for n in range(6)),
    Triple("raw:8", "clean:8", "clean", "raw", "clean"),
    Triple("", "clean:9", "clean", "raw", "clean"),
]
"""Three components, and a row that is rejected."""
SECOND = [
    *(Triple(f"sum:{n}", "report", "join", "sum", "report") for n in range(2)),
    FIRST[0],
]
"""Makes one component of two, and says again what the first says."""
ERASED = "raw:8"
"""No op of Neo4j goes with it, so that the Neo4j that tests share is not made anew."""


@dataclass
class Lived:
    """The warehouse as it is now, and what came of it on the way."""

    house: House
    exported: Path
    """An export of it."""
    seconds: Mapping[str, Mapping[str, float]]
    """By the command, the steps that it told the time of."""


def live(house: House, other: House) -> Lived:
    """Let a warehouse go through everything; another one takes in what it exports."""
    quiet, settings = Silent(), house.settings
    exported = settings.warehouse.parent / "exported"
    first, second = house.write(FIRST, "first.csv"), house.write(SECOND, "second.csv")
    seconds = {
        "preview": preview([first], settings, progress=quiet).seconds,
        "ingest": ingest([first], settings, run="one", progress=quiet).seconds,
        "ingest again": ingest([second], settings, progress=quiet).seconds,
        "ingest of nothing new": ingest([second], settings, progress=quiet).seconds,
        "retract": retract(Selection(items=["raw:5"]), settings, quiet).seconds,
        "compact": compact(settings, quiet).seconds,
    }
    export_warehouse(house.layout, exported, quiet)
    seconds["import"] = import_(exported, other.settings, quiet).seconds
    seconds["forget"] = forget([ERASED], settings, quiet).seconds
    return Lived(house, exported, seconds)

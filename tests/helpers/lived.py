"""A small warehouse to which each writing command is applied, and the duration of each step."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.retract import Retracting, retract
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.preview import preview
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse

FIRST = [
    *(Triple(f"raw:{n}", f"clean:{n}", "clean", "raw", "clean") for n in range(6)),
    *(Triple(f"clean:{n}", f"sum:{n // 3}", "sum", "clean", "sum") for n in range(6)),
    Triple("raw:8", "clean:8", "clean", "raw", "clean"),
    Triple("", "clean:9", "clean", "raw", "clean"),
]
"""Triples in three components, and a row that an ingest rejects."""
SECOND = [
    *(Triple(f"sum:{n}", "report", "join", "sum", "report") for n in range(2)),
    FIRST[0],
]
"""Triples that join two of the components, and a triple that is also in ``FIRST``."""
ERASED = "raw:8"
"""The item to erase.

Its op also occurs in other triples, so the shared Neo4j is not rebuilt.
"""


@dataclass
class Lived:
    """The warehouse after all commands, an export of it, and the times of the commands' steps."""

    house: House
    exported: Path
    """The folder of the export."""
    seconds: Mapping[str, Mapping[str, float]]
    """The seconds of each step, by command and by the name of the step."""


def live(house: House, other: House) -> Lived:
    """Apply each writing command to ``house``, and import the resulting export into ``other``."""
    quiet, settings = Silent(), house.settings
    exported = settings.warehouse.parent / "exported"
    first, second = house.write(FIRST, "first.csv"), house.write(SECOND, "second.csv")
    seconds = {
        "preview": preview([first], settings, progress=quiet).seconds,
        "ingest": ingest([first], settings, run="one", progress=quiet).seconds,
        "ingest again": ingest([second], settings, progress=quiet).seconds,
        "ingest of nothing new": ingest([second], settings, progress=quiet).seconds,
        "retract": retract(Retracting(items=["raw:5"]), settings, quiet).seconds,
        "compact": compact(settings, quiet).seconds,
    }
    export_warehouse(house.layout, exported, quiet)
    seconds["import"] = import_(exported, other.settings, quiet).seconds
    seconds["forget"] = forget([ERASED], settings, quiet).seconds
    return Lived(house, exported, seconds)

"""The tour (`make tour`): ten edits of the flights pipeline, which show all parts of provhouse.

The pipeline of the demo is captured by Spark. The tour asks for the lineage of its report with
three methods, zooms out, and asks what would happen without a reading. Then the pipeline is edited
ten times, first in Spark, then in SQL. Each step prints what it does and what that shows, and
checks the claim, for example by executing the complete query. The tour uses the flights of February
2013.
"""

import argparse
import shutil
import sys
import warnings
from datetime import date
from pathlib import Path
from time import monotonic
from typing import Any

import pipeline
import tour_captured
import tour_edits
from guide import Guide
from printing import program

import provhouse
from provhouse.cli.failures import guarded
from provhouse.cypher import access
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.output.phrases import duration
from provhouse.output.table import console

FEBRUARY = date(2013, 2, 1), date(2013, 2, 28)
EDITS = 10


def tour(folder: Path, days: pipeline.Days, **settings: Any) -> None:
    """Walk through all steps in a new folder; ``settings`` are the settings of the warehouse."""
    began, house = monotonic(), folder / "warehouse"
    guide = Guide(console(sys.stdout), program(house, Path(sys.executable)))
    guide.say(
        "Ten edits of a pipeline that reports on flights from New York. A line with ✓ is a claim",
        "that this program has just checked.",
    )
    warnings.filterwarnings("ignore", "The table report is no sink")  # it is written in four parts
    book = tour_captured.captured(guide, folder, house, days)
    with provhouse.open(house, **settings) as warehouse:
        reading = tour_captured.asked(guide, warehouse, folder)
        tour_captured.corrected(guide, warehouse, book, house, reading)
        tour_edits.explored(guide, warehouse, folder, house, settings)
        tour_edits.edited(guide, warehouse, folder, house)
    guide.heading("The end")
    guide.shows(f"{guide.edits} edits in {duration(monotonic() - began)}", guide.edits == EDITS)
    guide.say(
        "The warehouse stays: type the commands above to ask again. Neo4j and the server then run",
        "until",
    )
    guide.prompt("down")


def main() -> None:
    """Run the tour from the command line."""
    argparse.ArgumentParser(description="Ten edits of the flights pipeline.").parse_args()
    folder = Path("tour-data").absolute()
    settings = Settings.load({"warehouse": folder / "warehouse"})
    access.down(settings, Silent())  # of an earlier tour that was killed
    shutil.rmtree(folder, ignore_errors=True)
    try:
        status = guarded(lambda: tour(folder, FEBRUARY), lambda: folder)
    finally:
        access.down(settings, Silent())
    sys.exit(status)


if __name__ == "__main__":
    main()

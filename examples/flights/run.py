"""The demo (`make demo`), which traces a surprising figure in a report to its cause.

The demo runs the pipeline, whose lineage is captured, and asks three questions: what the figure
derives from, what a wrong weather reading affected, and what the figure would be without this
reading. It also shows how little of the lineage was read. Each section prints the `provhouse`
command that does the same by hand. A second run skips the pipeline.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pipeline
import story
from printing import Printer, near, program

from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.cypher import access
from provhouse.model.answer import Answer
from provhouse.model.deletion import Deletion
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.output.table import console
from provhouse.query.consequences.what_if import what_if
from provhouse.query.lineage.ask import Asker
from provhouse.query.listing.status import Status, status
from provhouse.runtime.java import java

PIPELINE = Path(pipeline.__file__)
CLEAN = PIPELINE.parent / "clean.py"
OLD_PLANE = "planes/N381AA"
STEP = re.compile(r"(\d+)/(\d+) (.+)")


def demo(settings: Settings, data: Path, days: pipeline.Days) -> None:
    """Run the whole demo; ``data`` is the working folder of the pipeline."""
    printer = Printer(console(sys.stdout), program(settings.warehouse, Path(sys.executable)))
    with progress_display(keep=True) as progress:
        address = access.up(settings, progress)
        run_pipeline(settings, data, days, progress)
    show_contents(printer, status(settings), data)
    with progress_display() as progress, Asker(settings, progress) as asker:
        explain(printer, asker, story.Tables(data))
    show_next_steps(printer, address)


def run_pipeline(settings: Settings, data: Path, days: pipeline.Days, progress: Progress) -> None:
    """Run the pipeline as a separate program, unless its complete result exists already.

    Raises Unavailable if the pipeline fails.
    """
    if pipeline.is_done(data, days) and status(settings).generation is not None:
        return
    data.mkdir(parents=True, exist_ok=True)
    log = data / "pipeline.log"
    environment = {**os.environ, "JAVA_HOME": str(java().parent.parent)}
    first, last = map(str, days)
    warehouse = str(settings.warehouse.absolute())
    command = [sys.executable, str(PIPELINE), "--out", str(data), "--warehouse", warehouse]
    command += ["--first", first, "--last", last]
    with (
        log.open("w") as noise,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=noise, text=True, env=environment
        ) as running,
    ):
        try:
            _follow(running, progress)
        except BaseException:
            running.terminate()
            raise
    if running.returncode:
        raise Unavailable(
            "The demo's pipeline failed",
            f"It exited with status {running.returncode}",
            f"See the last lines of {log}",
        )


def _follow(running: "subprocess.Popen[str]", progress: Progress) -> None:
    assert running.stdout
    for line in running.stdout:
        if step := STEP.match(line):
            progress.begin(f"pipeline: {step[3]}")


def show_contents(printer: Printer, stored: Status, data: Path) -> None:
    """Print what the pipeline did and what the warehouse stores."""
    flights = len(story.Tables(data).names("flights"))
    printer.heading("The warehouse")
    printer.say(
        f"A pipeline read {flights:,} flights that left New York in 2013, with weather, planes,",
        "airports and airlines. It cleaned and joined them and summed them up in a report, and",
        "wrote no lineage. Two lines around it let provhouse capture which row was derived from",
        f"which while Spark ran: {stored.triples:,} steps between {stored.items:,} rows.",
    )
    printer.code(
        "with provhouse.capture(spark, warehouse, keys=KEYS, values=True):",
        "    ...  # the pipeline, in plain PySpark",
    )


def explain(printer: Printer, asker: Asker, tables: story.Tables) -> None:
    """Ask what a surprising figure derives from.

    If one weather reading explains the figure, also ask what else this reading affected, and what
    the figure would be without the reading.
    """
    lines = story.windiest_days(tables)
    figure = f"report/{lines[0]['id']}"
    printer.heading("A surprising figure")
    printer.windiest_days(lines)
    printer.say(
        f"At {lines[0]['name']} the wind blew at {story.number(lines[0], 'wind'):.1f} mph on",
        f"average, yet {lines[0]['cancelled'] or 'none'} of the {lines[0]['flights']} flights were",
        f"cancelled. {lines[1]['name']}, second in the list, had"
        f" {story.number(lines[1], 'wind'):.1f} mph. Can that be true?",
    )
    printer.heading("Where does it come from?")
    printer.prompt(f"lineage {figure}")
    lineage = asker.ask(figure, "upstream")
    printer.lineage(lineage)
    printer.say("Of these, only the weather readings contain the wind:")
    readings = story.readings(lineage, tables)
    printer.readings(readings)
    if not readings.stands_out:
        printer.say("No reading stands out from the others, so the figure is plausible.")
        show_reading(printer, lineage)
        return
    show_cause(printer, lineage, readings, tables)
    show_impact(printer, asker, readings, tables)
    show_what_if(printer, asker, readings.strongest, lines[0], tables)
    show_reading(printer, lineage)


def show_cause(
    printer: Printer, lineage: Answer, readings: story.Readings, tables: story.Tables
) -> None:
    """Print the wrong reading, and the step that should have rejected it."""
    printer.say(
        f"The cause: {readings.strongest} has {readings.wind[readings.strongest]:,.1f} mph,",
        f"faster than sound. The strongest of the other {len(readings.wind) - 1} readings has",
        f"{readings.next_strongest:.1f} mph. One of its paths into the report:",
    )
    hops = story.path(lineage, readings.strongest, tables)
    printer.path(hops)
    printer.say(
        f'The step "{hops[1].op}" should have rejected it. That step sets aside readings with',
        "an impossible temperature, humidity, visibility or pressure, but has no limit for the",
        f'wind (SOUND in clean.py). The step "{hops[2].op}" then averaged it with the others.',
    )


def show_impact(
    printer: Printer, asker: Asker, readings: story.Readings, tables: story.Tables
) -> None:
    """Print what else the wrong reading affected."""
    printer.heading("What else did that reading affect?")
    printer.prompt(f"impact {readings.strongest}")
    impact = asker.ask(readings.strongest, "downstream")
    printer.impact(impact)
    reached = story.names(impact, "report")
    printer.say(f"In the report it affected {len(reached)} lines: {', '.join(reached)}.")
    untouched = len(tables.names("report")) - len(reached)
    printer.say(
        f"The other {untouched} lines of the report do not depend on that reading.",
    )


def show_what_if(
    printer: Printer, asker: Asker, reading: str, line: story.Row, tables: story.Tables
) -> None:
    """Print what the surprising figure would be if the wrong reading had never been stored."""
    printer.heading("And what if that reading had never been stored?")
    printer.prompt(f"what-if --delete {reading}")
    found = what_if(asker, Deletion((reading,)))
    printer.say(
        "Capture has stored what each reading contributed to the mean of its day, and what each",
        "day contributed to the highest mean. So the warehouse computes both again, without the",
        "reading:",
    )
    changes = story.changes(found)
    printer.changes(changes)
    highest = changes[-1]
    origin = str(line["id"]).split("/")[-1]
    day = story.day_of(changes, origin, tables)
    printer.say(
        f"Without this reading, the windiest day at {line['name']} would have been {day['date']},",
        f"with {highest.after:.1f} mph on average. On that day {day['cancelled']} flights were",
        f"cancelled, and the others left {story.number(day, 'delay'):.0f} minutes late on average.",
    )
    printer.say("\nThe fate of all rows that the reading has affected:")
    printer.what_if(found)
    printer.say(
        "A mean of several readings still exists without one of them. Where a job joins sums with",
        "other rows, or picks the first row of a ranking, the lineage of a row does not show if",
        "the row would still exist. It is undecided, since provhouse claims only what is certain.",
    )


def show_reading(printer: Printer, lineage: Answer) -> None:
    """Print what the question has read, and how to ask it with another method."""
    read = lineage.read
    printer.heading("Why that was quick")
    printer.say(
        f"A walk over {read.sets:,} sets of rows in Neo4j named the {read.partitions:,} partitions",
        f"to read, with {read.triples:,} steps. That is the method csprov. The methods rq and",
        "ccprov return the same rows, but they first load all steps, for up to a minute:",
    )
    printer.prompt(f"lineage {lineage.item} --method ccprov")


def show_next_steps(printer: Printer, address: access.Address) -> None:
    """Print how to open Neo4j Browser, what to try next, and how to stop."""
    printer.heading("Look around")
    printer.say(
        f"Neo4j Browser: {address.http}/browser/ (connect to {address.bolt} as {address.user}).",
        "For the password, and for queries to paste, run",
    )
    printer.prompt("browser")
    printer.heading("Three things to try")
    printer.commands(
        (
            "Did a plane of 1956 really fly for American Airlines in 2013? See which lines of the"
            " report it affected.",
            f"{printer.command} impact {OLD_PLANE}",
        ),
        (
            "See the pipeline as a picture: paste this into Neo4j Browser.",
            "MATCH (a:Table)-[d:DERIVES_FROM]->(b:Table) RETURN a, d, b",
        ),
        (
            f'Fix the check: add "wind_speed": (0, 150) to SOUND in {near(CLEAN)}, then see the new'
            " report.",
            "make demo",
        ),
    )
    printer.say("\nNeo4j runs until you stop it with the command below, which keeps the warehouse:")
    printer.prompt("down")


def main() -> None:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(description="A demo of provhouse on real flights.")
    parser.add_argument("--warehouse", type=Path, default=Path("demo-warehouse"))
    parser.add_argument("--data", type=Path, default=Path("demo-data"))
    pipeline.add_days(parser)
    given = parser.parse_args()
    data, days = given.data.absolute(), (given.first, given.last)
    settings = Settings.load({"warehouse": given.warehouse})
    sys.exit(guarded(lambda: demo(settings, data, days), lambda: data))


if __name__ == "__main__":
    main()

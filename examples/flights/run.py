"""The demo: `make demo`. A figure in a report surprises; the warehouse says where it comes from.

It runs the pipeline, takes its triples in, and asks: what does the figure derive from, what did
the one wrong record reach, and what do the three methods read for the same answer. All of it can
be done by hand with `provhouse`; the commands stand beside each part. A second run skips what is
done.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pipeline
import story
from printing import METHODS, Printer, near, program

from provhouse.cli.failures import guarded
from provhouse.cli.progress_display import progress_display
from provhouse.cypher import server
from provhouse.ingest.ingest import ingest
from provhouse.model.answer import Answer
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress
from provhouse.model.question import Method
from provhouse.model.settings import Settings
from provhouse.output.table import console
from provhouse.query.ask import Asker
from provhouse.query.status import Status, status
from provhouse.runtime.java import java

PIPELINE = Path(pipeline.__file__)
CLEAN = PIPELINE.parent / "clean.py"
OLD_PLANE = "planes/N381AA"
STEP = re.compile(r"(\d+)/(\d+) (.+)")


def demo(settings: Settings, data: Path, days: pipeline.Days) -> None:
    """Everything, in order; ``data`` is the folder that the pipeline works in."""
    printer = Printer(console(sys.stdout), program(settings.warehouse, Path(sys.executable)))
    with progress_display(keep=True) as progress:
        run_pipeline(data, days, progress)
        address = server.up(settings.graph_home, settings.neo4j_memory, progress)
        stored = ingest_triples(settings, data, days, progress)
    show_contents(printer, stored, data)
    with progress_display() as progress, Asker(settings, progress) as asker:
        figure = explain(printer, asker, story.Tables(data))
        compare(printer, asker, figure)
    show_next_steps(printer, address)


def run_pipeline(data: Path, days: pipeline.Days, progress: Progress) -> None:
    """Let the pipeline run as a program of its own, unless its whole result is there."""
    if pipeline.is_done(data, days):
        return
    data.mkdir(parents=True, exist_ok=True)
    log = data / "pipeline.log"
    environment = {**os.environ, "JAVA_HOME": str(java().parent.parent)}
    first, last = map(str, days)
    command = [sys.executable, str(PIPELINE), "--out", str(data), "--first", first, "--last", last]
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
            "The demo's pipeline should run to its end",
            f"It ended with status {running.returncode}",
            f"See the end of {log}",
        )


def _follow(running: "subprocess.Popen[str]", progress: Progress) -> None:
    assert running.stdout
    for line in running.stdout:
        if step := STEP.match(line):
            progress.begin(f"pipeline: {step[3]}")


def ingest_triples(
    settings: Settings, data: Path, days: pipeline.Days, progress: Progress
) -> Status:
    """Ingest the triples, unless the warehouse holds those of this very pipeline."""
    mark = data / "ingested"
    fingerprint = pipeline.fingerprint(days)
    known = mark.read_text().strip() if mark.exists() else ""
    stored = status(settings)
    if stored.generation is None or known != fingerprint:
        # A pipeline that was changed gives other triples: they come in place of the old ones.
        replace = stored.generation is not None
        ingest(
            [data / "triples"],
            settings,
            input_format=None,
            splits=None,
            replace=replace,
            strict=False,
            progress=progress,
        )
        mark.write_text(f"{fingerprint}\n")
        stored = status(settings)
    return stored


def show_contents(printer: Printer, stored: Status, data: Path) -> None:
    """What the pipeline left and the warehouse knows."""
    flights = len(story.Tables(data).names("flights"))
    printer.heading("What the warehouse holds")
    printer.say(
        f"A pipeline took {flights:,} flights that left New York in 2013, with weather, planes,",
        "airports and airlines, cleaned and joined them and summed them up into a report. As it",
        f"went it wrote down which row went into which: {stored.triples:,} steps between",
        f"{stored.items:,} rows. The warehouse holds them all.",
    )
    printer.prompt(f"ingest {near(data / 'triples')}")


def explain(printer: Printer, asker: Asker, tables: story.Tables) -> Answer:
    """Ask where the figure comes from and what the cause reached; the figure's lineage."""
    lines = story.windiest_days(tables)
    figure = str(lines[0]["id"])
    printer.heading("A figure that surprises")
    printer.windiest_days(lines)
    printer.say(
        f"At {lines[0]['name']} the wind blew with {story.number(lines[0], 'wind'):.1f} mph on",
        f"average, and of {lines[0]['flights']} flights {lines[0]['cancelled'] or 'none'} were",
        f"cancelled. {lines[1]['name']}, next in the list, had"
        f" {story.number(lines[1], 'wind'):.1f} mph. Can that be?",
    )
    printer.heading("Where does it come from?")
    printer.prompt(f"lineage {figure}")
    lineage = asker.ask(figure, "upstream")
    printer.lineage(lineage)
    printer.say("Only the weather readings say anything about wind:")
    readings = story.readings(lineage, tables)
    printer.readings(readings)
    if not readings.stands_out:
        printer.say("No reading stands out from the others: this figure can be believed.")
        return lineage
    show_cause(printer, lineage, readings, tables)
    show_impact(printer, asker, readings, lines[0], tables)
    return lineage


def show_cause(
    printer: Printer, lineage: Answer, readings: story.Readings, tables: story.Tables
) -> None:
    """The one reading, and the step that should have stopped it."""
    printer.say(
        f"There it is: {readings.strongest} says {readings.wind[readings.strongest]:,.1f} mph,",
        f"faster than sound. The strongest of the other {len(readings.wind) - 1} says",
        f"{readings.next_strongest:.1f}. This is one of the ways it took into the report:",
    )
    hops = story.path(lineage, readings.strongest, tables)
    printer.path(hops)
    printer.say(
        f'The step "{hops[1].op}" should have stopped it. It sets readings aside whose',
        "temperature, humidity, sight or pressure cannot be, but sets no limit to the wind",
        f'(SOUND in clean.py). The step "{hops[2].op}" then spread one hour over six.',
    )


def show_impact(
    printer: Printer, asker: Asker, readings: story.Readings, line: story.Row, tables: story.Tables
) -> None:
    """What else the one reading reached, and what the report would say without it."""
    printer.heading("What else did that reading reach?")
    printer.prompt(f"impact {readings.strongest}")
    impact = asker.ask(readings.strongest, "downstream")
    printer.impact(impact)
    reached = story.names(impact, "report")
    printer.say(f"In the report it reached {len(reached)} lines: {', '.join(reached)}.")
    origin = str(line["id"]).split("/")[-1]
    day = story.untouched_day(impact, origin, tables)
    printer.say(
        f"The other {len(tables.names('report')) - len(reached)} lines do not depend on it.",
        f"Without it no reading below the figure says more than {readings.next_strongest:.1f} mph,",
        f"so the windiest day at {line['name']} was {day['date']}, with"
        f" {story.number(day, 'wind'):.1f} mph: {day['cancelled']} flights were cancelled, and"
        f" the others left {story.number(day, 'delay'):.0f} minutes late.",
    )


def compare(printer: Printer, asker: Asker, lineage: Answer) -> None:
    """Ask the same by each method, twice: the first time fills caches."""
    printer.heading("The same question by three methods")
    printer.prompt(f"lineage {lineage.item} --method rq")
    methods: list[Method] = [method for method in get_args(Method) if method in METHODS]
    answers: dict[str, tuple[Answer, Answer]] = {
        method: (asker.ask(lineage.item, "upstream", method),
                 asker.ask(lineage.item, "upstream", method))
        for method in methods
    }  # fmt: skip
    printer.methods(answers)
    same = all(again.items.equals(lineage.items) for _, again in answers.values())
    if not same:
        raise AssertionError("the three methods gave different answers")
    printer.say(
        f"All three name the same {lineage.items.num_rows:,} rows. The first time includes",
        "loading what a method then keeps in memory.",
    )


def show_next_steps(printer: Printer, address: server.Address) -> None:
    """Where to look, how to log in, what to try, how to stop."""
    printer.heading("Look around")
    printer.say(
        f"Neo4j Browser: {address.http}/browser/ (connect to {address.bolt} as {address.user}).",
        "The password, and queries to paste, are shown by",
    )
    printer.prompt("browser")
    printer.heading("Three things to try")
    printer.commands(
        (
            "A plane of 1956 flew for American Airlines in 2013? See which lines of the report it"
            " reached.",
            f"{printer.command} impact {OLD_PLANE}",
        ),
        (
            "See the pipeline as a picture: paste into Neo4j Browser.",
            "MATCH (a:Table)-[d:DERIVES_FROM]->(b:Table) RETURN a, d, b",
        ),
        (
            f'Mend the check: put "wind_speed": (0, 150) into SOUND in {near(CLEAN)}, then see what'
            " the report says.",
            "make demo",
        ),
    )
    printer.say("\nNeo4j stays up until you stop it; the warehouse stays as it is:")
    printer.prompt("down")


def main() -> None:
    """Run from the command line."""
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

"""The part of the tour in Spark: the pipeline is captured twice, before and after an edit."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import clean
import pipeline
import story
from book import Book, Step
from guide import Guide

import provhouse
from provhouse.model.question import Method

FIGURE = "report/windiest-day/EWR"
SOURCES = frozenset(story.SOURCES)
STDERR = 2
LIMIT = (0, 150)
"""The wind speeds that the edited pipeline accepts as plausible, in miles per hour."""


def captured(guide: Guide, folder: Path, house: Path, days: pipeline.Days) -> Book:
    """Run the pipeline, and store its lineage and its revision in the warehouse ``house``."""
    with guide.step("The pipeline, captured by Spark"):
        with _java_writes_to(folder / "spark.log"):
            book = Book(folder)
        pipeline.read_sources(book, days)
        guide.code(
            'with provhouse.capture(spark, warehouse, keys=KEYS, values=True, workflow="flights"):',
            "    ...  # the pipeline, in plain PySpark",
        )
        landed = _night(book, house)
        guide.shows(
            f"{len(landed.writes)} writes are in the warehouse with the lineage of their"
            f" {sum(each.rows for each in landed.writes):,} rows.",
            not landed.error and len(landed.writes) == 19,
        )
        guide.shows(
            "The block is the first revision of a workflow.", landed.revision == "flights@r1"
        )
    return book


def asked(guide: Guide, warehouse: provhouse.Warehouse, folder: Path) -> str:
    """Ask for the lineage of an impossible figure, zoom out, and ask a what-if question.

    Returns the reading that caused the figure.
    """
    tables = story.Tables(folder)
    figure, *_ = tables.rows("report", [FIGURE])
    with guide.step("One set instead of the graph: CSProv"):
        guide.say(
            f"On {figure['subject']}, the report says, the wind at Newark blew at",
            f"{story.number(figure, 'wind')} mph on average, and {figure['cancelled'] or 'no'}",
            "flights were cancelled. Which rows is that figure made from?",
        )
        guide.prompt(f"lineage {FIGURE}")
        methods = [each for each in get_args(Method) if each in ("rq", "ccprov", "csprov")]
        answers = {each: warehouse.lineage(FIGURE, method=each) for each in methods}
        csprov, ccprov = answers["csprov"], answers["ccprov"]
        guide.say(
            f"RQ searched level by level, CCProv read all {ccprov.read.triples:,} triples of the",
            f"component, and CSProv {csprov.read.triples:,} of them, in one pass.",
        )
        guide.shows(
            f"All three give the same {len(csprov.items):,} rows.",
            all([*each.items] == [*csprov.items] for each in answers.values())
            and csprov.read.triples <= ccprov.read.triples,
        )
    with guide.step("From a distance: zoom"):
        guide.prompt(f"lineage {FIGURE} --zoom module")
        view = warehouse.zoom(FIGURE, "module")
        modules = sorted(each.name for each in view.nodes if each.kind == "module")
        guide.shows(
            f"The same lineage is {len(view.nodes)} boxes, with the modules {', '.join(modules)}.",
            modules == ["clean", "join", "report", "rollup"],
        )
    readings = warehouse.lineage(FIGURE, tables=["weather"])
    wind = tables.wind(each.item for each in readings.items)
    strongest = max(wind, key=lambda name: wind[name])
    del wind[strongest]
    with guide.step("What if one record had not been?"):
        guide.prompt(f"what-if --delete {strongest}")
        found = warehouse.what_if(strongest)
        day = next(each for each in found.changed if each.table == "wind_daily")
        mean, after = sum(wind.values()) / len(wind), day.after or 0
        guide.shows(
            f"Without this reading, the mean wind of the day is {after:.2f} mph instead of"
            f" {day.before:.2f}, as its {len(wind)} other readings say.",
            abs(after - mean) < 1e-6 < abs(day.before - mean),
        )
    return strongest


def corrected(
    guide: Guide, warehouse: provhouse.Warehouse, book: Book, house: Path, reading: str
) -> None:
    """Edit the pipeline so that it rejects a reading, run it again, and compare the results."""
    with guide.edit("a limit for the wind"):
        guide.code(f'SOUND["wind_speed"] = {LIMIT}  # in examples/flights/clean.py')
        clean.SOUND["wind_speed"] = LIMIT
        try:
            landed = _night(book, house)
        finally:
            del clean.SOUND["wind_speed"]
        guide.shows("The edited pipeline is the second revision.", landed.revision == "flights@r2")
        guide.prompt("list results flights")
        of = {(each.revision, each.sink): each.result
              for each in warehouse.workflow_results("flights")}  # fmt: skip
        sinks = [sink for name, sink in of if name == "flights@r1"]
        same = {sink for sink in sinks if of["flights@r1", sink] == of["flights@r2", sink]}
        guide.shows(
            f"{len(same)} of {len(sinks)} results, such as the cleaned flights, are the same files:"
            " a result is stored once.",
            "flights_clean" in same and not same & {"weather_clean", "wind_daily"},
        )
        for sink, kind, cause in (("weather_clean", "went", "code"),
                                  ("wind_daily", "changed", "data")):  # fmt: skip
            guide.prompt(f"revisions diff flights@r1 flights@r2 --sink {sink} --records")
            found = warehouse.diff_revisions("flights@r1", "flights@r2", sink, records=True).results
            assert found
            ((one, why),) = {(each.kind, each.cause) for each in found.records}
            guide.shows(
                f"In {sink}, {len(found.records)} record {kind}, because of the {cause}.",
                len(found.records) == 1 and (one, why) == (kind, cause),
            )
        guide.prompt("revisions diff flights@r1 flights@r2 --sink wind_daily --lineage")
        (record,) = warehouse.responsible_inputs("flights@r1", "flights@r2", "wind_daily").records
        (lost,) = (each.item for each in record.inputs if each.of != "both")
        guide.shows(
            f"Of its {len(record.inputs)} sources, the second run lacks {lost}.", lost == reading
        )


def _night(book: Book, house: Path) -> provhouse.Landed:
    """Run the pipeline's steps on its sources, and capture them."""
    for table in (book.folder / "tables").iterdir():
        if table.name not in SOURCES:
            shutil.rmtree(table)
    with provhouse.capture(
        book.spark, house, keys=pipeline.KEYS, values=True, workflow="flights"
    ) as run:
        for _, step in pipeline.steps():
            with run.module(step.__module__):
                step(Step(book, run))
    assert run.report
    return run.report


@contextmanager
def _java_writes_to(log: Path) -> Iterator[None]:
    """Write standard error to a file during the block. A Java started in it keeps writing there."""
    log.parent.mkdir(parents=True, exist_ok=True)
    kept = os.dup(STDERR)
    with log.open("w") as file:
        os.dup2(file.fileno(), STDERR)
        try:
            yield
        finally:
            os.dup2(kept, STDERR)
            os.close(kept)

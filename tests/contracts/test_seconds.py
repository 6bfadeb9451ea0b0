"""The names and the order of the timed steps in results (``seconds``) stay the same."""

from collections.abc import Callable
from contextlib import nullcontext

from helpers.lived import Lived
from provhouse.model.fault_points import POINTS
from provhouse.model.question import Method, Question
from provhouse.output.shown_result import rounded
from provhouse.query.lineage.diff import compare
from provhouse.query.lineage.path import path

METHODS: tuple[Method, ...] = ("auto", "csprov")
"""The methods to test. ``rq`` and ``ccprov`` have equal steps, but first load all triples."""
WRITERS = ("ingest", "compact", "import")
"""The commands that reach a fault point at each of their timed steps."""


def test_timed_steps_have_the_same_names(lived: Lived, golden: Callable[[str, str], None]) -> None:
    seconds = dict(lived.seconds)
    with lived.house.asker() as asker:
        for method in METHODS:
            seconds[f"lineage {method}"] = asker.ask("report", "upstream", method).seconds
        counted = Question("report", "upstream", summary=True)
        seconds["lineage in counts"] = asker.answer(counted).seconds
        seconds["path"] = path(asker, "raw:1", "report").seconds
        seconds["path with all ways"] = path(asker, "raw:1", "report", every=True).seconds
        question = Question("report", "upstream")
        seconds["explain"] = asker.explain(question).seconds
        seconds["diff"] = compare(question, None, lambda _: nullcontext(asker)).seconds
    lines = [f"{name}: {' '.join(rounded(steps))}\n" for name, steps in seconds.items()]
    golden("seconds.txt", "".join(sorted(lines)))


def test_every_step_of_a_writer_is_a_fault_point(lived: Lived) -> None:
    for writer in WRITERS:
        steps = lived.seconds[writer].keys() - {"start", "compare", "total"}
        assert steps <= {*POINTS}, writer

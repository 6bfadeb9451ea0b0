"""Paths, differences and deletions at every level, compared with counts and with plain answers."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from helpers.sampled import one_in
from helpers.warehouse import House
from provhouse.care.retract import Retracting, retract
from provhouse.model.deletion import Deletion
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Silent
from provhouse.model.question import AsOf, Direction, Question
from provhouse.model.zoom import LEVELS, Level
from provhouse.output import writer
from provhouse.output.json import JsonWriter
from provhouse.output.results.zoomed_diff import ZoomedDiffResult
from provhouse.output.results.zoomed_path import ZoomedPathResult
from provhouse.output.results.zoomed_what_if import ZoomedWhatIfResult
from provhouse.output.shown_result import ShownResult
from provhouse.query.consequences.what_if import FATES, what_if
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.diff import compare
from provhouse.query.lineage.path import path
from provhouse.query.zoom.zoom_diff import zoom_diff
from provhouse.query.zoom.zoom_path import zoom_path
from provhouse.query.zoom.zoom_what_if import zoom_what_if
from provhouse.query.zoom.zoomed import zoom

HEADER = "src,dst,op,src_table,dst_table,module,invocation,execution,role,op_kind\n"
TABLES = ("raw", "clean", "tmp", "sum")
NAMED = ("kind", "name", "table", "module", "run", "execution", "invocation")
MODULES = ("curate", "report")
ASIDE = "aside/1,aside/2,a,aside,aside,gone,1,mon,,all\n"
"""A row of the first file. No answer contains the row, and no other triple has the same module."""
LAST = 5
"""The number of items in each table."""


def random_rows(random: Random, count: int) -> Iterator[str]:
    """Yield random triples from a table to the next table.

    Each triple is made by an invocation or by none.
    """
    for _ in range(count):
        of = random.randrange(3)
        ends = (f"{TABLES[of + each]}/{random.randrange(LAST)}" for each in (0, 1))
        module = random.choice((*MODULES, ""))
        call = f"{random.randrange(2)},{random.choice(('mon', 'tue'))}" if module else ","
        role, kind = random.choice(("", "", "state")), random.choice(("all", "any", ""))
        tables = f"{TABLES[of]},{TABLES[of + 1]}"
        yield f"{','.join(ends)},{random.choice('ab')},{tables},{module},{call},{role},{kind}\n"


Generations = Callable[[AsOf | None], AbstractContextManager[Asker]]
"""A function that returns a generation's asker, in a context that leaves the asker open."""


@pytest.fixture(scope="module")
def asker(
    houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Generations]:
    """Three generations of a warehouse. The last generation has lost the triples of the first."""
    folder, made, random = tmp_path_factory.mktemp("views"), houses(), Random(22)
    (folder / "modules.json").write_text(
        json.dumps([{"module": name, "ops": [f"run {name}"]} for name in MODULES])
    )
    for name, count in (("one", 60), ("two", 25)):
        rows = [*random_rows(random, count), *([ASIDE] if name == "one" else [])]
        (folder / f"{name}.csv").write_text(HEADER + "".join(rows))
        made.ingest_files(folder / f"{name}.csv", run=name, modules=folder / "modules.json")
    retract(Retracting(file=folder / "one.csv"), made.settings, Silent())
    with ExitStack() as stack:
        found = [stack.enter_context(Asker(made.settings, Silent(), n)) for n in (1, 2, 3)]
        yield lambda generation: nullcontext(found[int(generation or 3) - 1])


SUM = "sum/1"


def edges(found: Any, *counts: str) -> Counter[tuple[Any, ...]]:
    """Return the ``counts`` of the edges between nodes, by the node names that views show."""
    names = {row["node"]: tuple(row[name] for name in NAMED) for row in found.nodes.to_pylist()}
    return Counter(
        {
            (names[row["from"]], names[row["to"]], row["op"], count): row[count]
            for row in found.edges.to_pylist()
            for count in counts
            if row[count]
        }
    )


def valid(schema: str, result: ShownResult) -> None:
    """Validate a result's JSON against its schema; check that its table and CSV can be written."""
    file = Path(writer.__file__).with_name("schemas") / f"{schema}.json"
    text = StringIO()
    JsonWriter(text).write(result)
    jsonschema.validate(json.loads(text.getvalue()), json.loads(file.read_text()))
    assert [*result.text()]
    assert all(len(row) == len(result.csv()[0]) for row in result.csv()[1])


@pytest.mark.parametrize("every", [False, True])
def test_a_path_of_records_is_the_path(asker: Generations, every: bool) -> None:
    with asker(2) as second:
        plain = path(second, "raw/1", SUM, every=every)
        found = zoom_path(second, "raw/1", SUM, "record", every=every)
        triples = {(row["src"], row["dst"], row["op"]) for row in plain.triples.to_pylist()}
        assert {(one[1], other[1], op) for one, other, op, _ in edges(found, "triples")} == triples
        assert set(found.nodes["name"].to_pylist()) == set(plain.items["item"].to_pylist())
        assert (found.hops, found.found) == (plain.hops, plain.items.num_rows)
        assert found.nodes["name"].to_pylist()[:2] == ["raw/1", SUM]
        tables = zoom_path(second, "raw/1", SUM, "table", every=every).nodes
        counts = Counter(plain.items["table"].to_pylist()) - Counter(["raw", "sum"])
        assert {row["name"]: row["items"] for row in tables.to_pylist()[2:]} == counts


def test_a_path_between_tables_reads_no_triple(asker: Generations) -> None:
    with asker(2) as second:
        found = zoom_path(second, "raw/1", "tmp/1", "catalogue")
        assert found.nodes["name"].to_pylist() == ["raw", "tmp", "clean"]
        assert {(one[1], other[1]) for one, other, _, _ in edges(found, "triples")} == {
            ("raw", "clean"), ("clean", "tmp"),
        }  # fmt: skip
        assert found.read.triples == 0
        with pytest.raises(NotFound, match="No chain of tables"):
            zoom_path(second, "tmp/1", "raw/1", "catalogue")


@pytest.mark.long
@pytest.mark.parametrize("folded", [[], ["curate"], [*MODULES]])
@pytest.mark.parametrize(
    "level", one_in(6, (level for level in LEVELS if level not in ("catalogue", "set")))
)
def test_what_came_less_what_went_is_the_difference_of_both_views(
    asker: Generations, level: Level, folded: list[str]
) -> None:
    asked: tuple[tuple[str, Direction], ...] = (
        (SUM, "upstream"), ("clean/1", "downstream"), ("tmp/2", "upstream"),
    )  # fmt: skip
    for item, direction in asked:
        for since, until in ((1, 2), (2, 3)):
            question = Question(item, direction, as_of=since)
            _check_difference(asker, question, until, level, folded)


def _check_difference(
    asker: Generations, question: Question, until: int, level: Level, folded: list[str]
) -> None:
    found = zoom_diff(question, until, level, folded, asker)
    views, items = [], []
    for generation in (question.as_of, until):
        with asker(generation) as one:
            try:
                view = zoom(one, Question(question.item, question.direction), level, folded)
            except NotFound:
                views.append(Counter[tuple[Any, ...]]())
                items.append(Counter[tuple[Any, ...]]())
                continue
        views.append(Counter({key[:3]: n for key, n in edges(view, "triples").items()}))
        rows = view.nodes.to_pylist()[1:]
        items.append(Counter({tuple(row[n] for n in NAMED): row["items"] for row in rows}))
    changes = Counter[tuple[Any, ...]]()
    for (*key, what), count in edges(found, "came", "went").items():
        changes[tuple(key)] += count if what == "came" else -count
    views[1].subtract(views[0])
    assert {k: n for k, n in changes.items() if n} == {k: n for k, n in views[1].items() if n}
    items[1].subtract(items[0])
    assert {k: n for k, n in items[1].items() if n} == {
        tuple(row[n] for n in NAMED): row["came"] - row["went"]
        for row in found.nodes.to_pylist()[1:]
        if row["came"] != row["went"]
    }


def test_a_difference_of_records_is_the_difference_of_the_answers(asker: Generations) -> None:
    question = Question(SUM, "upstream", as_of=1)
    plain = compare(question, 2, asker)
    found = zoom_diff(question, 2, "record", [], asker)
    for what, change in (("came", plain.came), ("went", plain.went)):
        triples = {(row["src"], row["dst"], row["op"]) for row in change.triples.to_pylist()}
        changed = edges(found, "came", "went")
        shown = {(a[1], b[1], op) for a, b, op, which in changed if which == what}
        # if another invocation also made a triple, that triple came as well
        assert triples <= shown
        items = {row["name"] for row in found.nodes.to_pylist() if row[what]}
        assert items == {*change.items["item"].to_pylist()}


@pytest.mark.long
def test_fates_of_records_are_those_of_the_plain_answer(asker: Generations) -> None:
    with asker(2) as second:
        for deletion in (Deletion(items=("clean/1", "raw/2")), Deletion(ops=("a",))):
            plain = what_if(second, deletion)
            fates = dict(zip(*(plain.items[n].to_pylist() for n in ("item", "fate")), strict=True))
            table = dict(zip(*(plain.items[n].to_pylist() for n in ("item", "table")), strict=True))
            found = zoom_what_if(second, deletion, "record")
            rows = found.nodes.to_pylist()
            assert {row["name"]: fate for row in rows for fate in FATES if row[fate]} == fates
            assert {row["name"] for row in rows if row["deleted"]} == {*deletion.items}
            by_table = zoom_what_if(second, deletion, "table").nodes.to_pylist()
            counts = Counter((table[item], fate) for item, fate in fates.items())
            assert counts == Counter(
                {(row["name"], fate): row[fate] for row in by_table for fate in FATES if row[fate]}
            )
            hidden = zoom_what_if(second, deletion, "module")
            totals = Counter({f: sum(hidden.nodes[f].to_pylist()) for f in FATES})
            assert totals <= Counter(fates.values())  # state inside of modules has no node
            assert hidden.summary.dies == plain.dies


@pytest.mark.parametrize("level", LEVELS)
def test_json_of_every_level_is_as_its_schema_says(asker: Generations, level: Level) -> None:
    with asker(2) as second:
        valid("zoom-path", ZoomedPathResult(zoom_path(second, "raw/1", SUM, level, every=True)))
        if level != "catalogue":
            deletion = Deletion(items=("clean/1",))
            valid("zoom-what-if", ZoomedWhatIfResult(zoom_what_if(second, deletion, level)))
    found = zoom_diff(Question(SUM, "upstream", as_of=1), 2, level, [], asker)
    valid("zoom-diff", ZoomedDiffResult(found))


def test_a_module_of_one_generation_can_be_folded_in_both(asker: Generations) -> None:
    with asker(3) as third, pytest.raises(NotFound, match="no module 'gone'"):
        zoom(third, Question("tmp/1", "upstream"), "record", ["gone"])
    for since, until in ((1, 3), (3, 1)):
        question = Question("tmp/1", "upstream", as_of=since)
        found = zoom_diff(question, until, "record", ["gone"], asker)
        assert edges(found, "came", "went") == edges(
            zoom_diff(question, until, "record", [], asker), "came", "went"
        )


def test_unknown_modules_and_impossible_levels_are_refused(asker: Generations) -> None:
    question = Question(SUM, "upstream", as_of=1)
    with asker(2) as second:
        for ask in (
            lambda: zoom_path(second, "raw/1", SUM, "record", ["x"]),
            lambda: zoom_what_if(second, Deletion(items=("clean/1",)), "record", ["x"]),
            lambda: zoom_diff(question, 2, "record", ["x"], asker),
        ):
            with pytest.raises(NotFound, match="no module 'x'"):
                ask()
        with pytest.raises(UsageError):
            zoom_path(second, "raw/1", SUM, "catalogue", ["curate"])
        with pytest.raises(UsageError):
            zoom_what_if(second, Deletion(items=("clean/1",)), "catalogue")

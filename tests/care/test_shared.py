"""Shared derivations after every kind of change: answers equal those of a model in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from neo4j import GraphDatabase

from helpers.oracle import Oracle, Triple
from helpers.shared import Input, Shared, random_trace, write
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.care.retract import Retracting, retract
from provhouse.care.rollback import rollback
from provhouse.ingest.imported import import_
from provhouse.ingest.ingest import ingest
from provhouse.ingest.preview import preview
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.model.question import Direction
from provhouse.query.exporting.export import export_warehouse
from provhouse.query.exporting.values import count_values
from provhouse.query.listing.find import find
from provhouse.query.listing.generations import list_generations
from provhouse.query.listing.show_set import show_set
from provhouse.query.listing.status import status

Houses = Callable[..., House]
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")


@dataclass(frozen=True)
class Derivation:
    """A dst with its remaining inputs, and the files that contain this derivation."""

    dst: str
    kind: str
    inputs: frozenset[Input]
    files: frozenset[str]


@dataclass
class Model:
    """A warehouse of shared derivations, and a model of its expected content."""

    house: House
    held: list[Derivation] = field(default_factory=list)
    earlier: list[Derivation] = field(default_factory=list)
    checked: int = 0
    """The number of the last generation that was checked."""

    def ingest(self, name: str, *groups: Shared) -> None:
        path = self.house.settings.warehouse.parent / name
        write(path, [row for group in groups for row in group.rows()])
        self.house.ingest_files(path)
        self.earlier = list(self.held)
        for group in groups:
            for dst in group.uses:
                self._add(Derivation(dst, group.kind, frozenset(group.inputs), frozenset({name})))

    def _add(self, new: Derivation) -> None:
        same = [d for d in self.held if replace(d, files=new.files) == new]
        self.held = [d for d in self.held if d not in same]
        files = new.files.union(*(d.files for d in same))
        self.held.append(replace(new, files=files))

    def retract_item(self, item: str) -> None:
        retract(Retracting(items=[item]), self.house.settings, Silent())
        self.earlier = list(self.held)
        left = []
        for one in self.held:
            inputs = frozenset(i for i in one.inputs if i.src != item)
            if one.dst != item and inputs and (one.kind != "all" or inputs == one.inputs):
                left.append(replace(one, inputs=inputs))
        self.held = left

    def retract_file(self, name: str) -> None:
        path = self.house.settings.warehouse.parent / name
        retract(Retracting(file=path), self.house.settings, Silent())
        self.earlier = list(self.held)
        self.held = [replace(d, files=d.files - {name}) for d in self.held if d.files != {name}]

    def rollback(self) -> None:
        rollback(self.house.settings, Silent())
        self.held = list(self.earlier)

    def compact(self) -> None:
        compact(self.house.settings, Silent())
        self.house.bare = True
        self.earlier = list(self.held)

    def check(self, *, deep: bool = True) -> None:
        """Compare all answers and counts with the model."""
        (self.house.check_deep if deep else self.house.check)()
        count = sum(len(one.inputs) for one in self.held)
        (*_, last) = list_generations(self.house.layout)
        assert (last.triples, status(self.house.settings).triples) == (count, count)
        if last.generation > self.checked and last.change in ("ingest", "retract"):
            assert last.new_triples - last.ended == count - sum(
                len(one.inputs) for one in self.earlier
            )
        self.checked = last.generation
        oracle = Oracle.of(Triple(i.src, d.dst, i.op) for d in self.held for i in d.inputs)
        with self.house.asker() as asker:
            for item in sorted(oracle.graph):
                for direction in DIRECTIONS:
                    found = content(asker.ask(item, direction, "csprov"))
                    assert found == oracle.ask(item, direction), (item, direction)


@pytest.mark.long
def test_every_change_ends_what_it_would_end_if_written_out(houses: Houses) -> None:
    model = Model(houses(theta=5, pack=0, partition_triples=4))
    sums = Shared("1", "aggregate", (Input("a", "sum"), Input("b", "sum")), ("x", "y"))
    join = Shared("2", "all", (Input("x", "join"), Input("c", "join")), ("p", "q"))
    model.ingest("one.csv", sums, join)
    model.ingest("two.csv", replace(sums, label="7", uses=("y", "z")), replace(join, uses=("r",)))
    model.check(deep=False)
    model.retract_item("c")  # the join ends for p, q and r
    model.check()
    model.rollback()
    model.check(deep=False)
    model.retract_item("a")  # the sum becomes smaller for x, y and z
    model.check(deep=False)
    model.ingest("one.csv", sums, join)  # x and y have the whole sum, and z does not
    model.check(deep=False)
    model.compact()
    model.check()
    model.retract_file("two.csv")
    model.check(deep=False)
    model.ingest("three.csv", replace(join, uses=("s",)))
    model.retract_file("one.csv")
    model.check()


@pytest.mark.long
def test_a_run_that_comes_again_replaces_what_its_derivations_are_shared_by(
    houses: Houses, tmp_path: Path
) -> None:
    """The group stays if the new run has it, even with another dst. Otherwise the group ends."""
    house = houses(partition_triples=2)
    sums = Shared("1", "aggregate", (Input("a", "sum"), Input("b", "sum")), ("x", "y"))
    other = Shared("2", "aggregate", (Input("a", "sum"), Input("c", "sum")), ("z",))
    for group in (sums, replace(sums, uses=("z",)), other, sums):
        ingest(
            [write(tmp_path / "t.csv", group.rows())], house.settings, run="july", progress=Silent()
        )
        house.check_deep()
        oracle = Oracle.of(group.triples())
        assert status(house.settings).triples == len(group.triples())
        with house.asker() as asker:
            for item in (*group.uses, "a"):
                for direction in DIRECTIONS:
                    assert content(asker.ask(item, direction)) == oracle.ask(item, direction)
    with house.asker() as asker:
        assert not asker.ask("z", "upstream").items.num_rows


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_random_changes(houses: Houses, seed: int) -> None:
    random = Random(seed)
    model = Model(houses(theta=5, pack=0, partition_triples=4))
    groups = random_trace(seed)[1] + random_trace(seed)[1]
    model.ingest("0.csv", *groups)
    for _ in range(12):
        some = [
            replace(g, uses=tuple(random.sample(g.uses, random.randint(1, len(g.uses)))))
            for g in random.sample(groups, random.randint(1, 3))
        ]
        items = sorted({i.src for d in model.held for i in d.inputs} | {d.dst for d in model.held})
        match random.choice(["ingest", "ingest", "item", "file", "compact"]):
            case "item" if items:
                model.retract_item(random.choice(items))
            case "file":
                model.retract_file("0.csv")
            case "compact" if model.held:
                model.compact()
            case _:
                model.ingest(f"{random.randrange(3)}.csv", *some)
        model.check()


WINDOW = Shared(
    "w",
    "aggregate",
    tuple(Input(f"in{n}", "max" if n % 2 else "min", "", "rows") for n in range(4)),
    ("out0", "out1", "out2"),
    "peers",
)


def test_groups_are_no_items_and_in_no_count(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    summary = house.ingest_files(write(tmp_path / "t.csv", WINDOW.rows()))
    assert (summary.items, summary.new_items) == (7, 7)
    assert (summary.triples, summary.new_triples) == (12, 12)
    assert summary.tables == ("peers", "rows")
    again = preview([tmp_path / "t.csv"], house.settings, progress=Silent())
    assert (again.items, again.new_items, again.rows) == (7, 0, 7)
    first = preview([tmp_path / "t.csv"], houses().settings, progress=Silent())
    assert (first.items, first.new_items) == (7, 7)
    shown = status(house.settings)
    assert (shown.items, shown.triples) == (7, 12)
    with house.asker() as asker:
        snapshot = asker.snapshot
        everything = find(snapshot, "", limit=100)
        names = [row["item"] for row in everything.items.to_pylist()]
        assert everything.matches == 7
        assert all(name.startswith(("in", "out")) for name in names)
        hidden = snapshot.names.names(snapshot.groups)[0].as_py()
        with pytest.raises(NotFound):
            asker.ask(hidden, "upstream")
        one = show_set(snapshot, asker.ask("in0", "downstream").set_id, 100)
        assert (one.size, one.items.num_rows) == (7, 7)
    with count_values(house.layout, "op", Silent()) as values:
        assert dict(values) == {"max": 6, "min": 6}


@pytest.mark.long
def test_tables_depend_on_each_other_through_groups(houses: Houses, tmp_path: Path) -> None:
    house = houses(partition_triples=3)
    house.ingest_files(write(tmp_path / "t.csv", WINDOW.rows()))
    assert _workflow(house) == {("rows", "peers"): (12, {"min", "max"})}
    more = replace(WINDOW, uses=("out2", "out3"))
    house.ingest_files(write(tmp_path / "more.csv", more.rows()))
    assert _workflow(house) == {("rows", "peers"): (16, {"min", "max"})}
    compact(house.settings, Silent())
    assert _workflow(house) == {("rows", "peers"): (16, {"min", "max"})}


def _workflow(house: House) -> dict[tuple[str, str], tuple[int, set[str]]]:
    """Return, for each pair of tables, the number of triples and the ops, as Neo4j shows them."""
    query = (
        "MATCH (t:Table {warehouse: $warehouse})-[d:DERIVES_FROM]->(s:Table) "
        "RETURN s.name, t.name, d.triples, d.ops"
    )
    address = house.address
    with (
        GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver,
        driver.session() as session,
    ):
        rows = session.run(query, warehouse=house.layout.warehouse_id()).values()
    return {(src, dst): (triples, set(ops.split(", "))) for src, dst, triples, ops in rows}


@pytest.mark.long
def test_an_export_has_the_triples_written_out(houses: Houses, tmp_path: Path) -> None:
    house, other = houses(partition_triples=3), houses()
    house.ingest_files(write(tmp_path / "t.csv", WINDOW.rows()))
    manifest = export_warehouse(house.layout, tmp_path / "out", Silent())
    assert (manifest.triples, manifest.items) == (12, 7)
    (file,) = (tmp_path / "out").glob("*.parquet")
    rows = pq.read_table(file).to_pylist()
    assert {(r["src"], r["dst"], r["op"]) for r in rows} == {t[:3] for t in WINDOW.triples()}
    import_(tmp_path / "out", other.settings, Silent())
    with other.asker() as asker:
        found = content(asker.ask("in0", "downstream"))
    assert found == Oracle.of(WINDOW.triples()).ask("in0", "downstream")


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
def test_an_erased_input_leaves_nothing_of_its_name(
    houses: Houses, tmp_path: Path, whole: bool
) -> None:
    house = houses()
    house.ingest_files(write(tmp_path / "t.csv", WINDOW.rows()))
    forgotten = forget(["in0"], house.settings, Silent())
    assert forgotten.items == 1
    house.check_deep()
    with house.asker() as asker:
        snapshot = asker.snapshot
        assert snapshot.names.stored(snapshot.groups).null_count == 1  # also the hash of in0
        expected = Oracle.of(WINDOW.triples()).ask("out0", "upstream").without(["in0"])
        answer = asker.ask("out0", "upstream")
        assert (content(answer), answer.erased, answer.links) == (expected, 1, 1)
    assert status(house.settings).erased == 1
    if not whole:
        return
    house.ingest_files(write(tmp_path / "t.csv", replace(WINDOW, uses=("out1",)).rows()))
    compact(house.settings, Silent())
    house.check_deep()
    with house.asker() as asker:
        assert content(asker.ask("out0", "upstream")) == expected
        again = Oracle.of(WINDOW.triples()).ask("out1", "upstream")
        assert content(asker.ask("out1", "upstream")) == again


@pytest.mark.long
def test_erasing_every_dst_erases_the_texts_of_the_inputs(houses: Houses, tmp_path: Path) -> None:
    house = houses()
    house.ingest_files(write(tmp_path / "t.csv", WINDOW.rows()))
    for dst in WINDOW.uses:
        forget([dst], house.settings, Silent())
        house.check_deep()
    with count_values(house.layout, "op", Silent()) as values:
        assert dict(values) == {}
    files = (house.layout.base(1) / "triples").glob("*.parquet")
    ops = [pq.read_table(file, partitioning=None)["op"].to_pylist() for file in files]
    assert {op for each in ops for op in each} == {""}
    compact(house.settings, Silent())
    house.check_deep()

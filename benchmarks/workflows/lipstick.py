"""WorkflowGen: the Lipstick paper's two workflows as queries on DuckDB, with or without capture.

``Workflow`` runs the steps of modules. With capture, each relation has a column ``_id``, each step
also selects the ids of its sources, and then executes one more statement, which adds its triples to
a table. Without capture, it runs the same queries without these columns. Capture of whole programs,
in ``provhouse.capture`` and ``provhouse.interactive``, does not need such declarations; the capture
here shows the cost of the triples alone, like the capture of the paper.
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal

import duckdb

MODELS = ("Golf", "Polo", "Jetta", "Passat", "A3", "A4", "A6", "318i", "320i", "C180", "E200",
          "Civic")  # fmt: skip
"""The twelve models of cars."""
VARIABLES = ("t", "p", "h", "w", "c", "s")
"""The six variables of a station: temperature, pressure, humidity, wind, clouds and sunshine."""
YEARS = range(1961, 2001)
Topology = Literal["serial", "parallel", "dense"]
Selectivity = Literal["all", "season", "month", "year"]
SELECTED: dict[Selectivity, str] = {
    "all": "true",
    "season": "(o.month % 12) // 3 = (q.month % 12) // 3",
    "month": "o.month = q.month",
    "year": "o.year = q.year",
}
Row = tuple[object, ...]
TYPES: dict[type, str] = {str: "VARCHAR", float: "DOUBLE", int: "BIGINT"}


@dataclass(frozen=True)
class Step:
    """A query of a module: ``select`` from ``source``, whose tables have the given aliases."""

    table: str
    """The relation that the step creates, or to which it adds rows."""
    select: str
    source: str
    aliases: Sequence[str]
    kind: Literal["all", "any", "aggregate"]
    group: str = ""
    """The key of the GROUP BY; ``()`` for one group of all rows."""
    value: str = "NULL"
    """SQL for the value that a source row contributes to an aggregate."""
    state: Sequence[str] = ()
    """The aliases of the tables that are the module's state."""
    add: bool = False
    """Whether the step adds rows to an existing relation."""
    output: bool = False


@dataclass
class Workflow:
    """A database in which steps run, and the triples that they record if ``capture`` is set."""

    capture: bool
    threads: int = 1
    tables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.db = duckdb.connect(config={"threads": self.threads})
        self.db.execute("CREATE SEQUENCE ids")
        self.db.execute(
            "CREATE TABLE triples (src VARCHAR, dst VARCHAR, op VARCHAR, src_table VARCHAR, "
            "dst_table VARCHAR, derivation VARCHAR, op_kind VARCHAR, value DOUBLE, role VARCHAR, "
            "module VARCHAR, invocation VARCHAR, execution VARCHAR)"
        )

    def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Create a relation with source rows, which are not derived from other rows."""
        marks = ", ".join("?" * len(columns))
        names, ident = ", ".join(columns), ", nextval('ids') AS _id" * self.capture
        values = [*rows]
        typed = zip(columns, values[0], strict=True)
        types = ", ".join(f"{name} {TYPES[type(value)]}" for name, value in typed)
        self.db.execute(f"CREATE OR REPLACE TEMP TABLE loaded ({types})")
        every = ", ".join([f"({marks})"] * len(values))  # one statement: a hundred times as fast
        self.db.execute(f"INSERT INTO loaded VALUES {every}", [*chain.from_iterable(values)])
        self.db.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {names}{ident} FROM loaded")

    def empty(self, table: str, columns: str) -> None:
        """Create a relation without rows."""
        self.db.execute(f"CREATE TABLE {table} ({columns}{', _id BIGINT' * self.capture})")

    def run(self, module: str, execution: int, call: str, steps: Iterable[Step]) -> None:
        """Run the steps of one invocation of a module."""
        for number, step in enumerate(steps):
            made = "made" if step.add else step.table
            self.db.execute(f"CREATE OR REPLACE TEMP TABLE {made} AS {self._query(step)}")
            if step.add:
                ids = ", ".join(f"_{alias}" for alias in step.aliases)
                kept = f"* EXCLUDE ({ids}, _value)" if self.capture else "*"
                self.db.execute(f"INSERT INTO {step.table} BY NAME SELECT {kept} FROM {made}")
            if self.capture:
                op = f"{module} {number} {step.kind}"
                for alias in step.aliases:
                    self._triples(step, alias, made, op, module, execution, call)

    def _query(self, step: Step) -> str:
        group = "" if step.group in ("", "()") else f" GROUP BY {step.group}"
        if not self.capture:
            return f"SELECT {step.select} FROM {step.source}{group}"
        form = "list({})" if step.group else "{}"
        ids = "".join(f", {form.format(f'{a}._id')} AS _{a}" for a in step.aliases)
        value = f", {form.format(step.value)} AS _value"
        query = f"SELECT {step.select}{ids}{value} FROM {step.source}{group}"
        return f"SELECT *, nextval('ids') AS _id FROM ({query})"

    def _triples(
        self, step: Step, alias: str, made: str, op: str, module: str, execution: int, call: str
    ) -> None:
        read = step.source.split()
        source = read[read.index(alias) - 1]
        each = "unnest({})" if step.group else "{}"
        role = "state" if alias in step.state else "output" if step.output else "input"
        self.db.execute(
            f"INSERT INTO triples SELECT * FROM (SELECT '{source}/' || {each.format(f'_{alias}')} "
            f"AS src, '{step.table}/' || _id, '{op}', '{source}', '{step.table}', _id, "
            f"'{step.kind}', {each.format('_value')}, '{role}', '{module}', '{call}', "
            f"'{execution}' FROM {made}) WHERE src IS NOT NULL"
        )

    def write(self, file: Path) -> int:
        """Write the triples as Parquet, and return the number of triples."""
        self.db.execute(f"COPY triples TO '{file}' (FORMAT parquet)")
        return self.count()

    def count(self) -> int:
        """Return the number of triples."""
        found = self.db.execute("SELECT count(*) FROM triples").fetchone()
        return int(found[0]) if found else 0


@dataclass
class Dealerships:
    """Four dealers bid for a buyer's request, and the best bid is taken.

    Cars, sold cars and the history of bids are the state of the dealers. A buyer wants a model, and
    accepts a bid that does not exceed the reserve price with the given probability.
    """

    flow: Workflow
    cars: int = 20_000
    dealers: int = 4
    seed: int = 1
    model: str = "Golf"
    reserve: float = 1e9
    probability: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        each = self.cars // self.dealers
        for dealer in range(self.dealers):
            first = dealer * each
            rows = [(first + n, self.random.choice(MODELS)) for n in range(each)]
            self.flow.load(f"cars{dealer}", ("car", "model"), rows)
            self.flow.empty(f"sold{dealer}", "car BIGINT, bid BIGINT")
            self.flow.empty(f"history{dealer}", "bid BIGINT, model VARCHAR, amount DOUBLE")

    def execute(self, number: int) -> object:
        """Run one execution, and return the best price."""
        flow = self.flow
        flow.load("wanted", ("bid", "model"), [(number, self.model)])
        ask = Step("request", "w.bid, w.model", "wanted w", "w", "all", output=True)
        flow.run("request", number, "1", [ask])
        for dealer in range(self.dealers):
            flow.run(f"dealer{dealer}", number, "bid", self._bid(dealer))
        collect = [
            Step("bids", "b.bid, b.price, b.dealer", f"offer{n} b", "b", "any", add=n > 0)
            for n in range(self.dealers)
        ]
        best = Step("best", "min(b.price) AS price", "bids b", "b", "aggregate", "()", "b.price",
                    output=True)  # fmt: skip
        flow.run("aggregate", number, "1", [*collect, best])
        price = self._price()
        if price <= self.reserve and self.random.random() < self.probability:
            flow.run("dealer0", number, "purchase", self._sell())
        return price

    def _price(self) -> float:
        found = self.flow.db.execute("SELECT price FROM best").fetchone()
        return float(found[0]) if found else math.inf

    def _bid(self, n: int) -> list[Step]:
        return [
            Step("asked", "r.bid, r.model", "request r", "r", "any"),
            Step("inventory", "c.car, a.model", f"cars{n} c JOIN asked a ON c.model = a.model",
                 "ca", "all", state="c"),
            Step("gone", "i.car, i.model", f"inventory i JOIN sold{n} s ON i.car = s.car", "is",
                 "all", state="s"),
            Step("number", "i.model, count(*) AS n", "inventory i", "i", "aggregate", "i.model",
                 "1"),
            Step("lost", "g.model, count(*) AS n", "gone g", "g", "aggregate", "g.model", "1"),
            Step("past", "h.model, min(h.amount) AS amount",
                 f"history{n} h JOIN asked a ON h.model = a.model", "h", "aggregate", "h.model",
                 "h.amount", state="h"),
            Step("offered", "a.bid, a.model, least(coalesce(p.amount, 1e9), 20.0 + "
                 f"{n} + 1000.0 / (1 + coalesce(i.n, 0)) + 0.1 * coalesce(l.n, 0)) AS amount",
                 "asked a LEFT JOIN number i ON i.model = a.model LEFT JOIN lost l ON "
                 "l.model = a.model LEFT JOIN past p ON p.model = a.model", "ailp", "all"),
            Step(f"history{n}", "o.bid, o.model, o.amount", "offered o", "o", "all", add=True),
            Step(f"offer{n}", f"o.bid, o.amount AS price, {n} AS dealer", "offered o", "o", "all",
                 output=True),
        ]  # fmt: skip

    def _sell(self) -> list[Step]:
        source = (
            "cars0 c JOIN request r ON c.model = r.model AND c.car = (SELECT min(car) FROM cars0)"
        )
        return [Step("sold0", "c.car, r.bid", source, "cr", "all", state="c", add=True)]


@dataclass
class Stations:
    """Arctic stations. Each adds a measurement, and finds the lowest temperature that it knows."""

    flow: Workflow
    stations: int = 24
    topology: Topology = "parallel"
    fan: int = 6
    """The number of stations in a layer of the topology ``dense``."""
    selectivity: Selectivity = "month"
    seed: int = 1

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        for number in range(self.stations):
            rows = [self._observed(number, y, m) for y in YEARS for m in range(1, 13)]
            self.flow.load(f"station{number}", ("year", "month", *VARIABLES), rows)
        self.sources = [self._before(number) for number in range(self.stations)]
        read = {source for sources in self.sources for source in sources}
        self.last = [number for number in range(self.stations) if number not in read]

    def _before(self, number: int) -> Sequence[int]:
        """Return the stations whose results a station reads."""
        if self.topology == "serial":
            return range(max(number - 1, 0), number)
        layer = number // self.fan
        if self.topology == "parallel" or not layer:
            return ()
        return range((layer - 1) * self.fan, layer * self.fan)

    def _observed(self, station: int, year: int, month: int) -> Row:
        """Return a month of a synthetic climate, with as many numbers as in the paper's data."""
        mean = -15 - station % 5 + 18 * math.cos((month - 7) / 6 * math.pi)
        others = (round(self.random.random() * 100, 2) for _ in VARIABLES[1:])
        return (year, month, round(mean + self.random.gauss(0, 4), 2), *others)

    def execute(self, number: int) -> object:
        """Run one execution, and return the lowest temperature."""
        flow, year, month = self.flow, 2001 + number // 12, number % 12 + 1
        asked = YEARS[number % len(YEARS)] if self.selectivity == "year" else year
        flow.load("asked", ("year", "month"), [(asked, month)])
        given = Step("query", "a.year, a.month", "asked a", "a", "all", output=True)
        flow.run("in", number, "1", [given])
        for station in range(self.stations):
            measured = self._observed(station, year, month)
            flow.load("measured", ("year", "month", *VARIABLES), [measured])
            flow.run(f"station{station}", number, "1", self._steps(station))
        collect = [
            Step("lowest", "k.t", f"result{n} k", "k", "any", add=at > 0)
            for at, n in enumerate(self.last)
        ]
        least = Step("least", "min(k.t) AS t", "lowest k", "k", "aggregate", "()", "k.t",
                     output=True)  # fmt: skip
        flow.run("out", number, "1", [*collect, least])
        found = flow.db.execute("SELECT t FROM least").fetchone()
        return found and found[0]

    def _steps(self, n: int) -> list[Step]:
        columns = ", ".join(f"m.{name}" for name in ("year", "month", *VARIABLES))
        where = SELECTED[self.selectivity]
        return [
            Step(f"station{n}", columns, "measured m", "m", "all", add=True),
            Step("chosen", "o.t", f"station{n} o JOIN query q ON {where}", "oq", "all", state="o"),
            Step("own", "min(c.t) AS t", "chosen c", "c", "aggregate", "()", "c.t"),
            Step("known", "w.t", "own w", "w", "any"),
            *(
                Step("known", "k.t", f"result{source} k", "k", "any", add=True)
                for source in self.sources[n]
            ),
            Step("lower", "min(k.t) AS t", "known k", "k", "aggregate", "()", "k.t"),
            Step(f"result{n}", "l.t", "lower l", "l", "all", output=True),
        ]

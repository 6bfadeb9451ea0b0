"""Random UPDATE, DELETE and MERGE statements are compared with plain Python that tracks rows."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from helpers.changing import Changing, Key
from helpers.warehouse import House

Value = int | None
Condition = tuple[str, Callable[[Value, Value], bool]]
"""A condition on the values ``t.v`` and ``s.v``, in SQL and in Python."""
ON_TARGET: list[Condition] = [
    ("t.v > 4", lambda t, s: t is not None and t > 4),
    ("t.v IS NULL", lambda t, s: t is None),
    ("NOT t.v <=> 3", lambda t, s: t != 3),
    ("true", lambda t, s: True),
]
ON_SOURCE: list[Condition] = [
    ("s.v < 5", lambda t, s: s is not None and s < 5),
    ("s.v IS NULL", lambda t, s: s is None),
    ("true", lambda t, s: True),
]
ON_BOTH: list[Condition] = [
    *ON_TARGET,
    *ON_SOURCE,
    ("t.v < s.v", lambda t, s: t is not None and s is not None and t < s),
]
PROPERTIES = {
    "plain": {},
    "vectors": {"enableDeletionVectors": "true"},
    "feed": {"enableChangeDataFeed": "true"},
    "mapped": {"enableDeletionVectors": "true", "columnMapping.mode": "name"},
    "both": {"enableDeletionVectors": "true", "enableChangeDataFeed": "true"},
}
"""Properties of tables that change how Delta runs the statements."""
SETS: dict[str, Callable[[Value, Value], Value]] = {
    "s.v": lambda t, s: s,
    "t.v + 1": lambda t, s: None if t is None else t + 1,
}


@dataclass
class Program:
    """A table, a dictionary with its expected rows, and random statements that change both."""

    table: Changing
    seed: int
    rows: dict[Key, Value] = field(default_factory=dict)
    statements: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    def value(self) -> Value:
        """Return a random value, which is sometimes NULL."""
        found: Value = self.chance.choice([None, *range(10)])
        return found

    def begin(self) -> None:
        """Write the initial rows."""
        self.rows = {key: self.value() for key in range(16)}
        first = self.table.source("orders", k=[*self.rows], v=[*self.rows.values()])
        self.table.load(first, {key: f"orders/{key}" for key in self.rows})

    def step(self) -> None:
        """Run a random statement in Spark, and its equivalent in Python."""
        self.statements += 1
        self.chance.choice([self.update, self.delete, self.merge, self.merge])()

    def update(self) -> None:
        """Update some rows, or all."""
        text, holds = self.chance.choice(ON_TARGET)
        where = "" if text == "true" else f" WHERE {text}"
        chosen = [key for key, value in self.rows.items() if holds(value, None)]
        version = self.table.run(f"UPDATE {{}} t SET v = t.v + 1{where}")
        for key in chosen:
            value = self.rows[key]
            self.rows[key] = None if value is None else value + 1
        self.table.note(version, {key: [] for key in chosen})

    def delete(self) -> None:
        """Delete some rows."""
        text, holds = self.chance.choice(ON_TARGET[:2])
        gone = [key for key, value in self.rows.items() if holds(value, None)]
        version = self.table.run(f"DELETE FROM {{}} t WHERE {text}")
        self.forget(version, gone)

    def forget(self, version: int, gone: list[Key]) -> None:
        """Record that rows were deleted."""
        for key in gone:
            del self.rows[key]
        self.table.note(version, {}, gone=gone)

    def merge(self) -> None:
        """Run a MERGE with random clauses."""
        name = f"news{self.statements}"
        keys = self.chance.sample(range(24), self.chance.randrange(8))
        source: dict[Key, Value] = {key: self.value() for key in keys}
        self.table.source(name, k=[*source, 99], v=[*source.values(), 1])
        kinds = {
            "MATCHED": (ON_BOTH, [*SETS, "DELETE"]),
            "NOT MATCHED": (ON_SOURCE, ["INSERT"]),
            "NOT MATCHED BY SOURCE": (ON_TARGET, ["t.v + 1", "DELETE"]),
        }
        clauses = [
            (kind, self.chance.choice(conditions), self.chance.choice(actions))
            for kind, (conditions, actions) in kinds.items()
            for _ in range(self.chance.randrange(3))
        ] or [("NOT MATCHED", ON_SOURCE[0], "INSERT")]
        text = "".join(map(_clause, clauses))
        rows = f"(SELECT nullif(k, 99) AS k, v FROM {name})"  # a key that is NULL never matches
        version = self.table.run(f"MERGE INTO {{}} t USING {rows} s ON t.k = s.k{text}")
        self.apply(clauses, source, name, version)

    def apply(
        self,
        clauses: list[tuple[str, Condition, str]],
        source: dict[Key, Value],
        name: str,
        version: int,
    ) -> None:
        """Run the clauses in Python. For each row, the first clause that matches is executed."""
        made: dict[Key, list[str]] = {}
        added: dict[Key, list[str]] = {}
        gone = list[Key]()
        for key in sorted({*self.rows, *source}, key=str):
            here, there = key in self.rows, key in source
            kind = "MATCHED" if here and there else "NOT MATCHED"
            kind += " BY SOURCE" * (here and not there)
            t, s = self.rows.get(key), source.get(key)
            action = next((a for of, (_, holds), a in clauses if of == kind and holds(t, s)), None)
            if action == "DELETE":
                gone.append(key)
            elif action == "INSERT":
                self.rows[key], added[key] = s, [f"{name}/{key}"]
            elif action:
                self.rows[key] = SETS[action](t, s)
                made[key] = [f"{name}/{key}"] if there else []
        self.forget(version, gone)
        self.table.note(version, made)
        self.table.note(version, added, new=True)


def _clause(clause: tuple[str, Condition, str]) -> str:
    kind, (condition, _), action = clause
    does = action
    if action == "INSERT":
        condition += " AND s.k IS NOT NULL"
        does = "INSERT (k, v) VALUES (s.k, s.v)"
    elif action != "DELETE":
        does = f"UPDATE SET v = {action}"
    return f" WHEN {kind} AND {condition} THEN {does}"


@pytest.mark.long
@pytest.mark.parametrize(
    ("properties", "seed"),
    [(name, seed) for name in PROPERTIES for seed in range(12 if name == "plain" else 4)],
)
def test_random_programs_have_the_lineage_of_the_model(
    properties: str, seed: int, houses: Callable[..., House], tmp_path: Path
) -> None:
    table = Changing(houses(), tmp_path, properties=PROPERTIES[properties])
    program = Program(table, seed)
    program.begin()
    for _ in range(8):
        program.step()
    found = program.table.spark.read.format("delta").load(str(tmp_path / "balance"))
    assert {row["k"]: row["v"] for row in found.collect()} == program.rows
    program.table.check()

"""Facts about tables: their columns and the constraints that proofs may use."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from ..from_duckdb import ForeignKey as ForeignKey

Table = tuple[str, ...]
PART = "part of a plan"
"""The first word of the name of a table that stands for a part of a plan."""


@dataclass(frozen=True)
class TableSchema:
    """The columns of a table and its constraints."""

    columns: tuple[tuple[str, str], ...]
    not_null: frozenset[str]
    keys: tuple[tuple[str, ...], ...]
    """The keys: sets of columns in which no two rows have the same values, except NULLs."""
    foreign: tuple[ForeignKey, ...]

    def places(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the positions of columns."""
        listed = [name for name, _ in self.columns]
        return tuple(map(listed.index, names))


@dataclass
class Schema:
    """The tables of a database, and the constraints that a proof has used."""

    tables: dict[Table, TableSchema]
    used: set[str] = field(default_factory=set)

    def keys(self, table: Table) -> list[tuple[int, ...]]:
        """Return the positions of the columns of each key of a table."""
        known = self.tables[table]
        return [known.places(key) for key in known.keys]

    def key_used(self, table: Table, key: tuple[int, ...]) -> None:
        """Record that a proof relies on a key."""
        if table[0] == PART:  # the plan determines this key, so it is no assumption
            return
        names = [self.tables[table].columns[at][0] for at in key]
        self.used.add(f"key {table[-1]}({', '.join(names)})")

    def foreign_used(self, table: Table, key: ForeignKey) -> None:
        """Record that a proof relies on a foreign key."""
        columns, referred = ", ".join(key.columns), ", ".join(key.referred)
        self.used.add(f"foreign key {table[-1]}({columns}) of {key.table[-1]}({referred})")


def schema_json(schema: Schema) -> Any:
    """Return a schema as JSON-compatible values."""
    return [[table, asdict(known) | {"not_null": sorted(known.not_null)}]
            for table, known in schema.tables.items()]  # fmt: skip


def schema_from_json(plain: Any) -> Schema:
    """Return the schema from the values that ``schema_json`` returned."""
    return Schema({tuple(table): _table(known) for table, known in plain})


def _table(known: Any) -> TableSchema:
    foreign = tuple(
        ForeignKey(tuple(each["columns"]), tuple(each["table"]), tuple(each["referred"]))
        for each in known["foreign"]
    )
    columns = tuple((name, type_) for name, type_ in known["columns"])
    keys = tuple(map(tuple, known["keys"]))
    return TableSchema(columns, frozenset(known["not_null"]), keys, foreign)

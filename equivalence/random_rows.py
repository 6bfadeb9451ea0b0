"""Small random contents of tables: NULLs, duplicates, and values near the literals of queries."""

import json
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from typing import Any

import duckdb

from .empty_database import EmptyDatabase, whole_name
from .plan_form import Constant, PlanForm

VALUES = (
    *("-1", "0", "1", "2", "3", "0.5", "100", "", "a", "b", "A", "ab", "true", "false"),
    *("2020-01-01", "2020-01-02", "2021-06-15 12:30:00", "12:30:00", "[1, 2]", "[]"),
)
ROWS = (0, 1, 2, 3, 5, 8)


def values_near(plans: Iterable[PlanForm]) -> list[str]:
    """Return values for columns: some for each type, the plans' literals, and their neighbours."""
    found = [near for plan in plans for text in _literals(plan.root) for near in _near(text)]
    return list(dict.fromkeys([*VALUES, *found]))


class RandomRows:
    """A maker of contents for the tables of a database."""

    def __init__(self, database: EmptyDatabase, values: Sequence[str], seed: int) -> None:
        self._database = database
        self._random = random.Random(seed)
        types = {type_ for listed in database.columns.values() for _, type_ in listed}
        self._pools = {type_: self._pool(type_, values) for type_ in types}

    def fill(self) -> None:
        """Replace the rows of all tables. Rows that break a constraint are left out."""
        self._database.clear()
        for table in self._database.columns:
            for row in self._rows(table):
                listed = ", ".join("?" for _ in row)
                with suppress(duckdb.Error):
                    self._database.con.execute(
                        f"insert into {whole_name(table)} values ({listed})", row
                    )

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each table by its name."""
        con = self._database.con
        tables = self._database.columns
        return {t[-1]: con.execute(f"from {whole_name(t)}").fetchall() for t in tables}

    def _pool(self, type_: str, values: Sequence[str]) -> list[str]:
        """Return the values that are texts of a type."""
        query = f"select v from (select unnest(?) v) where try_cast(v as {type_}) is not null"
        return [text for (text,) in self._database.con.execute(query, [values]).fetchall()]

    def _rows(self, table: tuple[str, ...]) -> list[list[str | None]]:
        facts, columns = self._database.facts[table], self._database.columns[table]
        count = self._random.choice(ROWS)
        made = [
            [self._value(type_, name not in facts.not_null) for name, type_ in columns]
            for _ in range(count)
        ]
        return made + made[: count // 3]

    def _value(self, type_: str, nullable: bool) -> str | None:
        if nullable and self._random.random() < 0.2:
            return None
        pool = self._pools[type_]
        few = pool[-6:] if self._random.random() < 0.6 else pool
        return self._random.choice(few) if few else None


def _literals(part: Any) -> list[str]:
    if isinstance(part, Constant):
        return [_shown(json.loads(part.value))]
    if isinstance(part, tuple):
        return [text for each in part for text in _literals(each)]
    if not is_dataclass(part):
        return []
    return [text for each in fields(part) for text in _literals(getattr(part, each.name))]


def _shown(value: dict[str, Any]) -> str:
    """Return a literal as a text; a decimal is stored as an integer."""
    found = value.get("value", "")
    scale = value["type"].get("type_info", {}).get("scale", 0)
    return str(found / 10**scale) if scale and isinstance(found, int) else str(found)


def _near(text: str) -> list[str]:
    try:
        number = float(text)
        return [f"{number + by:g}" for by in (-1, 0, 1)]
    except ValueError:
        pass
    try:
        day = date.fromisoformat(text[:10])
        return [str(day + timedelta(by)) for by in (-1, 0, 1)]
    except ValueError:
        plain = text.replace("%", "").replace("_", "x")
        return [text, plain, plain + "a", plain.swapcase()]

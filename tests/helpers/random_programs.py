"""Random programs in SQL, and an interpreter that traces each of their rows independently.

A program is SQL with the columns x (an integer) and y (a string), and the rows of its result. Each
row lists the source rows from which it derives. Both columns are used at each step, because the
optimizer drops an outer join whose columns are not read, along with the join's lineage.
"""

import operator
import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

Source = tuple[str, int]
"""The name of a table, and the position of a row in this table."""
Values = tuple[int | None, str | None]


@dataclass(frozen=True)
class Traced:
    """A row, and the source rows that it derives from."""

    x: int | None
    y: str | None
    sources: frozenset[Source]

    @property
    def values(self) -> Values:
        """The values of the row's columns."""
        return self.x, self.y


Rows = list[Traced]
Key = TypeVar("Key", bound=Hashable)
Predicate = Callable[[Traced], bool]


@dataclass(frozen=True)
class Program:
    """A program in SQL, and the rows of its result."""

    sql: str
    rows: Rows


def tables(rng: random.Random) -> dict[str, list[Values]]:
    """Return two small tables with NULLs and duplicates."""
    return {
        name: [(rng.choice([None, 0, 1, 2, 3]), rng.choice([None, "", "a", "b", "ab"]))
               for _ in range(rng.randrange(3, 9))]
        for name in ("t", "u")
    }  # fmt: skip


def program(rng: random.Random, held: dict[str, list[Values]], steps: int) -> Program:
    """Return a random program of ``steps`` steps over the tables."""
    if not steps:
        name = rng.choice(sorted(held))
        rows = [Traced(x, y, frozenset({(name, at)})) for at, (x, y) in enumerate(held[name])]
        return Program(f"SELECT x, y FROM {name}", rows)
    first = program(rng, held, steps - 1)
    at = rng.randrange(len(ONE) + len(TWO))
    if at < len(ONE):
        return ONE[at](rng, first)
    return TWO[at - len(ONE)](rng, first, program(rng, held, rng.randrange(steps)))


def kept(rng: random.Random, of: Program) -> Program:
    """Keep the rows that pass a random test."""
    tests: list[tuple[str, Predicate]] = [
        ("x % 2 = 1", lambda row: row.x is not None and row.x % 2 == 1),
        ("x IS NULL OR x < 3", lambda row: row.x is None or row.x < 3),
        ("y = 'a' OR y IS NULL", lambda row: row.y in ("a", None)),
        ("y <> 'b'", lambda row: row.y not in ("b", None)),
    ]
    text, test = rng.choice(tests)
    return Program(
        f"SELECT x, y FROM ({of.sql}) WHERE {text}", [row for row in of.rows if test(row)]
    )


def changed(rng: random.Random, of: Program) -> Program:
    """Compute new values for columns."""
    if rng.random() < 0.5:
        rows = [Traced(row.x and row.x % 3, row.y, row.sources) for row in of.rows]
        return Program(f"SELECT x % 3 AS x, y FROM ({of.sql})", rows)
    rows = [
        Traced(None if row.y is None else len(row.y), row.y and row.y[::-1], row.sources)
        for row in of.rows
    ]
    return Program(f"SELECT length(y) AS x, reverse(y) AS y FROM ({of.sql})", rows)


def grouped(rng: random.Random, of: Program) -> Program:
    """Aggregate groups of rows, or all rows."""
    by = rng.choice(["x", "y", "x, y", ""])
    if by == "x":
        text = "SELECT x, min(y) AS y FROM"
        rows = [Traced(x, _least(r.y for r in g), _all(g)) for x, g in _groups(of, lambda r: r.x)]
    elif by == "y":
        text = "SELECT cast(sum(x) AS int) AS x, y FROM"
        rows = [Traced(_sum(g), y, _all(g)) for y, g in _groups(of, lambda r: r.y)]
    elif by:
        text = "SELECT cast(count(*) AS int) AS x, y FROM"
        found = _groups(of, lambda r: r.values)
        rows = [Traced(len(g), values[1], _all(g)) for values, g in found]
    else:
        text = "SELECT cast(sum(x) AS int) AS x, min(y) AS y FROM"
        rows = [Traced(_sum(of.rows), _least(r.y for r in of.rows), _all(of.rows))]
    return Program(f"{text} ({of.sql})" + (f" GROUP BY {by}" if by else ""), rows)


def distinct(rng: random.Random, of: Program) -> Program:
    """Remove duplicates."""
    rows = [Traced(*values, _all(group)) for values, group in _groups(of, lambda r: r.values)]
    return Program(f"SELECT DISTINCT x, y FROM ({of.sql})", rows)


def windowed(rng: random.Random, of: Program) -> Program:
    """Compute a number from the rows near each row.

    Windows with a frame of rows are used only if no two rows are equal.
    """
    total = len({row.values for row in of.rows}) == len(of.rows)
    text, used = rng.choice([*RANGES, *FRAMES] if total else RANGES)
    peers = dict(_groups(of, lambda r: r.y))
    rows: Rows = []
    for group in peers.values():
        ordered = sorted(group, key=lambda row: _ordered(row.x))
        for at, row in enumerate(ordered):
            value, near = used(ordered, at)
            rows.append(Traced(value, row.y, row.sources | _all(near)))
    text = f"cast({text.replace('(y', '(PARTITION BY y ORDER BY x')} AS int)"
    return Program(f"SELECT {text} AS x, y FROM ({of.sql})", rows)


Used = tuple[int | None, Rows]
"""The value of a window function, and the rows that the function has used."""


def whole(rows: Rows, at: int) -> Used:
    return _sum(rows), rows


def running(rows: Rows, at: int) -> Used:
    near = [row for row in rows if _ordered(row.x) <= _ordered(rows[at].x)]
    return _sum(near), near


def ranked(rows: Rows, at: int) -> Used:
    near = [row for row in rows if _ordered(row.x) < _ordered(rows[at].x)]
    return len(near) + 1, near


def dense(rows: Rows, at: int) -> Used:
    near = [row for row in rows if _ordered(row.x) < _ordered(rows[at].x)]
    return len({row.x for row in near}) + 1, near


def close(rows: Rows, at: int) -> Used:
    x = rows[at].x
    near = [row for row in rows if row.x == x or (None not in (x, row.x) and _apart(x, row.x) <= 1)]
    return len(near), near


def numbered(rows: Rows, at: int) -> Used:
    return at + 1, rows[:at]


def last_three(rows: Rows, at: int) -> Used:
    near = rows[max(at - 2, 0) : at + 1]
    return _sum(near), near


def following(rows: Rows, at: int) -> Used:
    return len(rows[at + 1 :]), rows[at + 1 :]


def lagging(rows: Rows, at: int) -> Used:
    return (rows[at - 2].x, [rows[at - 2]]) if at > 1 else (None, [])


def leading(rows: Rows, at: int) -> Used:
    return (rows[at + 1].x, [rows[at + 1]]) if at + 1 < len(rows) else (None, [])


def is_odd(row: Traced) -> bool:
    return row.x is not None and row.x % 2 == 1


def last_odd(rows: Rows, at: int) -> Used:
    near = [row for row in rows if _ordered(row.x) <= _ordered(rows[at].x)]
    odd = [row for row in near if is_odd(row)]
    if not odd:
        return None, near
    return odd[-1].x, [row for row in near if _ordered(row.x) >= _ordered(odd[-1].x)]


def odd_before(rows: Rows, at: int) -> Used:
    odd = [number for number in range(at) if is_odd(rows[number])]
    return (rows[odd[-1]].x, rows[odd[-1] : at]) if odd else (None, rows[:at])


def second_odd_after(rows: Rows, at: int) -> Used:
    odd = [number for number in range(at + 1, len(rows)) if is_odd(rows[number])]
    return (rows[odd[1]].x, rows[at : odd[1] + 1]) if len(odd) > 1 else (None, rows[at:])


ODD = "if(x % 2 = 1, x, NULL)"
RANGES: list[tuple[str, Callable[[Rows, int], Used]]] = [
    ("sum(x) OVER (PARTITION BY y)", whole),
    ("sum(x) OVER (y)", running),
    ("rank() OVER (y)", ranked),
    ("dense_rank() OVER (y)", dense),
    ("count(*) OVER (y RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING)", close),
    ("sum(x) OVER (y) + 0 * rank() OVER (y)", running),
    (f"last_value({ODD}) IGNORE NULLS OVER (y)", last_odd),
]
"""Window functions whose values do not depend on the order of ties."""
FRAMES: list[tuple[str, Callable[[Rows, int], Used]]] = [
    ("row_number() OVER (y)", numbered),
    ("sum(x) OVER (y ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", last_three),
    ("count(*) OVER (y ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)", following),
    ("lag(x, 2) OVER (y)", lagging),
    ("lead(x) OVER (y)", leading),
    (f"lag({ODD}) IGNORE NULLS OVER (y)", odd_before),
    (f"lead({ODD}, 2) IGNORE NULLS OVER (y)", second_odd_after),
]


def limited(rng: random.Random, of: Program) -> Program:
    """Keep the first rows in an order.

    The limit never separates equal rows, because equal rows may have different sources.
    """
    rows = sorted(of.rows, key=lambda row: (_ordered(row.x), _ordered(row.y)))
    ends = [at for at in range(1, len(rows)) if rows[at].values != rows[at - 1].values]
    count = rng.choice([*ends, len(rows)])
    return Program(f"SELECT x, y FROM ({of.sql}) ORDER BY x, y LIMIT {count}", rows[:count])


def exploded(rng: random.Random, of: Program) -> Program:
    """Make two rows from each row."""
    rows = [Traced(row.x, each, row.sources)
            for row in of.rows for each in (row.y, row.y and row.y[::-1])]  # fmt: skip
    return Program(f"SELECT x, explode(array(y, reverse(y))) AS y FROM ({of.sql})", rows)


def paired(rng: random.Random, of: Program) -> Program:
    """Join the rows with themselves."""
    return joined(rng, of, of)


def joined(rng: random.Random, left: Program, right: Program) -> Program:
    """Join on one column, and take one column from each side."""
    column, comparison = rng.choice([("x", "="), ("y", "="), ("x", "<")])
    kind = rng.choice(["INNER", "LEFT", "RIGHT", "FULL"])
    rows: Rows = []
    used: set[int] = set()
    for one in left.rows:
        matches = [
            at
            for at, two in enumerate(right.rows)
            if (_equal(one, two, column) if comparison == "=" else _less(one, two))
        ]
        used.update(matches)
        for at in matches:
            two = right.rows[at]
            rows.append(Traced(one.x, two.y, one.sources | two.sources))
        if not matches and kind in ("LEFT", "FULL"):
            rows.append(Traced(one.x, None, one.sources))
    if kind in ("RIGHT", "FULL"):
        rest = (two for at, two in enumerate(right.rows) if at not in used)
        rows += [Traced(None, two.y, two.sources) for two in rest]
    text = f"SELECT l.x, r.y FROM ({left.sql}) l {kind} JOIN ({right.sql}) r"
    return Program(f"{text} ON l.{column} {comparison} r.{column}", rows)


def semi(rng: random.Random, left: Program, right: Program) -> Program:
    """Keep either the rows that have a match, or those without a match."""
    columns = rng.choice(["x", "y", "xy"])
    condition = " AND ".join(f"l.{column} = r.{column}" for column in columns)
    kind = rng.choice(["SEMI", "ANTI"])
    rows: Rows = []
    for one in left.rows:
        matches = [two for two in right.rows if all(_equal(one, two, each) for each in columns)]
        if bool(matches) == (kind == "SEMI"):
            rows.append(Traced(*one.values, one.sources | _all(matches)))
    text = f"SELECT x, y FROM ({left.sql}) l LEFT {kind} JOIN ({right.sql}) r"
    return Program(f"{text} ON {condition}", rows)


def semi_compared(rng: random.Random, left: Program, right: Program) -> Program:
    """Keep the rows that have a match by a comparison, with or without an equality."""
    sign, matches = rng.choice(COMPARISONS)
    keyed = rng.random() < 0.7
    rows: Rows = []
    for one in left.rows:
        found = [
            two for two in right.rows
            if None not in (one.x, two.x) and matches(two.x, one.x)
            and (not keyed or _equal(one, two, "y"))
        ]  # fmt: skip
        if found:
            rows.append(Traced(*one.values, one.sources | _all(found)))
    condition = f"r.x {sign} l.x" + (" AND l.y = r.y" if keyed else "")
    text = f"SELECT x, y FROM ({left.sql}) l LEFT SEMI JOIN ({right.sql}) r ON {condition}"
    return Program(text, rows)


COMPARISONS: list[tuple[str, Callable[[Any, Any], bool]]] = [
    ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge),
    ("<>", operator.ne),
]  # fmt: skip


def existing(rng: random.Random, left: Program, right: Program) -> Program:
    """Keep the rows that have a match or pass a test."""
    rows: Rows = []
    for one in left.rows:
        matches = [two for two in right.rows if _equal(one, two, "y")]
        if matches or one.x is None:
            rows.append(Traced(*one.values, one.sources | _all(matches)))
    exists = f"EXISTS (SELECT 1 FROM ({right.sql}) r WHERE r.y = l.y)"
    return Program(f"SELECT x, y FROM ({left.sql}) l WHERE x IS NULL OR {exists}", rows)


def united(rng: random.Random, left: Program, right: Program) -> Program:
    """Append the rows of ``right`` to those of ``left``."""
    return Program(
        f"SELECT x, y FROM ({left.sql}) UNION ALL SELECT x, y FROM ({right.sql})",
        left.rows + right.rows,
    )


def common(rng: random.Random, left: Program, right: Program) -> Program:
    """Intersect or subtract the rows. NULL equals NULL."""
    kind = rng.choice(["INTERSECT", "EXCEPT"])
    others = {values: _all(group) for values, group in _groups(right, lambda r: r.values)}
    rows: Rows = []
    for values, group in _groups(left, lambda r: r.values):
        if (values in others) == (kind == "INTERSECT"):
            rows.append(Traced(*values, _all(group) | others.get(values, frozenset())))
    return Program(f"SELECT x, y FROM ({left.sql}) {kind} SELECT x, y FROM ({right.sql})", rows)


def counted(rng: random.Random, left: Program, right: Program) -> Program:
    """Intersect or subtract, with duplicates. Each result derives from all rows equal to it."""
    kind = rng.choice(["INTERSECT", "EXCEPT"])
    others = dict(_groups(right, lambda r: r.values))
    rows: Rows = []
    for values, group in _groups(left, lambda r: r.values):
        same = others.get(values, [])
        count = min(len(group), len(same)) if kind == "INTERSECT" else len(group) - len(same)
        rows += [Traced(*values, _all(group + same))] * max(count, 0)
    return Program(f"SELECT x, y FROM ({left.sql}) {kind} ALL SELECT x, y FROM ({right.sql})", rows)


def missing(rng: random.Random, left: Program, right: Program) -> Program:
    """Keep the rows whose value is not in ``right``, where NULL may stand for any value."""
    others = {row.x for row in right.rows}
    rows = [row for row in left.rows
            if not others or (row.x is not None and not others & {row.x, None})]  # fmt: skip
    return Program(
        f"SELECT x, y FROM ({left.sql}) WHERE x NOT IN (SELECT x FROM ({right.sql}))", rows
    )


def compared(rng: random.Random, left: Program, right: Program) -> Program:
    """Keep rows by a comparison with a value that is computed from all rows of ``right``."""
    total = _sum(right.rows)
    rows = [
        Traced(*row.values, row.sources | _all(right.rows))
        for row in left.rows
        if row.x is not None and total is not None and row.x <= total
    ]
    text = f"SELECT x, y FROM ({left.sql}) WHERE x <= (SELECT sum(x) FROM ({right.sql}))"
    return Program(text, rows)


ONE = [kept, changed, grouped, distinct, windowed, limited, exploded, paired]
TWO = [joined, semi, semi_compared, existing, united, common, counted, missing, compared]


def _groups(of: Program, key: Callable[[Traced], Key]) -> Iterable[tuple[Key, Rows]]:
    groups: defaultdict[Key, Rows] = defaultdict(list)
    for row in of.rows:
        groups[key(row)].append(row)
    return groups.items()


def _all(rows: Iterable[Traced]) -> frozenset[Source]:
    return frozenset().union(*(row.sources for row in rows))


def _sum(rows: Rows) -> int | None:
    values = [row.x for row in rows if row.x is not None]
    return sum(values) if values else None


def _least(values: Iterable[str | None]) -> str | None:
    return min((value for value in values if value is not None), default=None)


def _ordered(value: int | str | None) -> tuple[bool, int | str]:
    """Return a sort key that orders values as Spark does, with NULL first."""
    return value is not None, 0 if value is None else value


def _apart(one: int | None, two: int | None) -> int:
    assert one is not None
    assert two is not None
    return abs(one - two)


def _less(one: Traced, two: Traced) -> bool:
    return one.x is not None and two.x is not None and one.x < two.x


def _equal(one: Traced, two: Traced, column: str) -> bool:
    left, right = getattr(one, column), getattr(two, column)
    return left is not None and left == right

"""Queries with one small edit each, which changes their rows, as an execution shows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

import duckdb
from sqlglot import exp, parse_one

from . import query_pairs
from .falsify import RandomContents
from .rewritten.pairs import tpch_queries
from .rewritten.schema import Schema, schema_of, stored

DATABASES = 40
"""The number of random databases in which a mutant's rows are compared."""
OWN = schema_of("""
    create table t(a integer, b varchar, d decimal(10, 2), k integer primary key);
    create table u(a integer, e varchar, k integer not null, foreign key (k) references t (k));""")
OWN_QUERIES = (
    "select t.b, sum(u.a) as s, count(*) as n from t join u on t.k = u.k where t.a >= 1 "
    "group by t.b having count(*) > 1",
    "select t.k, t.b, u.e from t left join u on t.k = u.k and u.a > 1 where t.d < 2.5 or t.b = 'x'",
    "select distinct t.a, u.e from t join u on t.a = u.a where u.e is not null",
    "select b, max(d) as m, min(a) as n from t where b like 'x%' or a in (1, 2) group by b",
    "select k, b, d from t where d between 1 and 3 order by d desc nulls last, k limit 2",
    "select t.b from t where exists (select 1 from u where u.k = t.k and u.a >= 2)",
    "select t.b from t where t.k not in (select u.k from u where u.a > 1)",
    "select a, b from t where a > 1 union all select a, e from u where a <= 2",
    "select t.b, t.d from t where t.d >= (select avg(x.d) from t x where x.b = t.b)",
    "with q as (select b, sum(d) as s from t group by b) select t.k, q.s from t join q on t.b = q.b"
    " where q.s > 2",
    "select k, case when a > 1 then 'x' when a = 1 then b else 'y' end as c, coalesce(b, 'z') as e"
    " from t where not (a = 2 and b = 'x')",
    "select b, count(distinct a) as n, sum(case when d > 2 then 1 else 0 end) as s from t group by"
    " b, a",
    "select k, sum(d) over (partition by b) as s, rank() over (order by a, k) as r from t",
    "select a from t where d > 1 except select a from u where k > 1",
    "select a, b, sum(d) as s from t group by rollup (a, b)",
)
"""Queries over the tables of ``OWN``."""


@dataclass(frozen=True)
class Mutant:
    """A query, and an edited query with different rows."""

    name: str
    ddl: str
    text: str
    edited: str


def found(source: Random, most: int) -> Iterator[Mutant]:
    """Yield mutants of TPC-H, of ``OWN_QUERIES`` and of random queries."""
    texts = [(name, stored("tpch"), text) for name, text in tpch_queries().items()]
    texts += [(f"own {at}", OWN, text) for at, text in enumerate(OWN_QUERIES)]
    source.shuffle(texts)
    count = 0
    for name, schema, text in [*texts, *_random_queries(source)]:
        edits = edited(text, schema, source, max(5, most // 30))
        for mutant in different(schema, text, edits):
            yield Mutant(name, schema.ddl, text, mutant)
            count += 1
            if count == most:
                return


def _random_queries(source: Random) -> list[tuple[str, Schema, str]]:
    schema = schema_of(query_pairs.DDL)
    return [(f"random {n}", schema, query_pairs.random_query(source)) for n in range(400)]


def different(schema: Schema, text: str, edits: list[str]) -> Iterator[str]:
    """Yield the edited queries whose rows differ from those of a query in a random database."""
    left = list(edits)
    contents = RandomContents(schema, (text, *edits[:3]), 38)
    with contents.con:
        for _ in range(DATABASES):
            contents.fill()
            rows = contents.rows(text)
            for each in list(left):
                try:
                    if contents.rows(each) == rows:
                        continue
                    yield each
                except duckdb.Error:
                    pass  # the edit made no query of it
                left.remove(each)


def edited(text: str, schema: Schema, source: Random, most: int) -> list[str]:
    """Return queries with one small edit each, at random positions."""
    tree = parse_one(text, read="duckdb")
    spots = [
        (at, edit, choice)
        for at, node in enumerate(tree.walk())
        for edit in EDITS
        for choice in range(edit(node, schema, LOOK))
    ]
    made = dict.fromkeys(_edited(tree, s, schema) for s in source.sample(spots, len(spots))[:most])
    return [each for each in made if each != text]


def _edited(tree: exp.Expr, spot: tuple[int, "Edit", int], schema: Schema) -> str:
    at, edit, choice = spot
    copy = tree.copy()
    edit(next(each for n, each in enumerate(copy.walk()) if n == at), schema, choice)
    return copy.sql("duckdb")


Edit = Callable[[exp.Expr, Schema, int], int]
"""A function that applies edit number N to a node, and returns the number of possible edits."""
LOOK = -1
"""The number that selects no edit, so that the function only returns how many are possible."""
SWAPPED: dict[type[exp.Expr], tuple[type[exp.Expr], ...]] = {
    exp.And: (exp.Or,), exp.Or: (exp.And,), exp.LT: (exp.LTE, exp.GT), exp.GT: (exp.GTE, exp.LT),
    exp.LTE: (exp.LT,), exp.GTE: (exp.GT,), exp.EQ: (exp.NEQ, exp.LTE), exp.NEQ: (exp.EQ,),
    exp.Sum: (exp.Max, exp.Min), exp.Max: (exp.Min,), exp.Min: (exp.Max,), exp.Avg: (exp.Max,),
    exp.Add: (exp.Sub,), exp.Sub: (exp.Add,), exp.Mul: (exp.Add,), exp.Except: (exp.Intersect,),
    exp.Rank: (exp.DenseRank,),
}  # fmt: skip


def _swap(node: exp.Expr, schema: Schema, choice: int) -> int:
    others = SWAPPED.get(type(node), ())
    if choice >= 0:
        node.replace(others[choice](**dict(node.args.items())))
    return len(others)


def _drop_operand(node: exp.Expr, schema: Schema, choice: int) -> int:
    if not isinstance(node, exp.And | exp.Or | exp.Add | exp.Mul):
        return 0
    if choice >= 0:
        node.replace((node.this, node.expression)[choice])
    return 2


def _literal(node: exp.Expr, schema: Schema, choice: int) -> int:
    if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.Interval):
        return 0
    others = _others(node)
    if choice >= 0:
        node.set("this", others[choice])
    return len(others)


def _others(node: exp.Literal) -> list[str]:
    try:
        return [str(date.fromisoformat(node.name) + timedelta(by)) for by in (-1, 1)]
    except ValueError:
        pass
    if node.is_string:
        return [f"{node.name}~", node.name.swapcase()]
    return [f"{node.name}1" if "." in node.name else str(int(node.name) + 1)]


def _column(node: exp.Expr, schema: Schema, choice: int) -> int:
    """Read another column of the same type."""
    if not isinstance(node, exp.Column):
        return 0
    tables = [columns for columns in schema.columns.values() if node.name in columns]
    if not tables:
        return 0
    others = [n for n, t in tables[0].items() if t == tables[0][node.name] and n != node.name][:2]
    if choice >= 0:
        node.set("this", exp.to_identifier(others[choice]))
    return len(others)


def _join(node: exp.Expr, schema: Schema, choice: int) -> int:
    if not isinstance(node, exp.Join) or not node.args.get("on"):
        return 0
    if choice >= 0:
        node.set("side", None if node.side else "LEFT")
        node.set("kind", None)
    return 1


def _distinct(node: exp.Expr, schema: Schema, choice: int) -> int:
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct):
        if choice >= 0:
            node.set("this", node.this.expressions[0])
        return 1
    if isinstance(node, exp.SetOperation):
        if choice >= 0:
            node.set("distinct", not node.args.get("distinct"))
        return 1
    if not isinstance(node, exp.Select):
        return 0
    if choice >= 0:
        node.set("distinct", None if node.args.get("distinct") else exp.Distinct())
    return 1


def _clause(node: exp.Expr, schema: Schema, choice: int) -> int:
    """Leave out WHERE or HAVING."""
    if not isinstance(node, exp.Select):
        return 0
    there = [part for part in ("where", "having") if node.args.get(part)]
    if choice >= 0:
        node.set(there[choice], None)
    return len(there)


def _key(node: exp.Expr, schema: Schema, choice: int) -> int:
    """Drop a grouping key, or turn all keys into ROLLUP."""
    if not isinstance(node, exp.Group) or not node.expressions:
        return 0
    keys = node.expressions
    if choice == len(keys):
        node.set("expressions", [exp.Rollup(expressions=[key.copy() for key in keys])])
    elif choice >= 0:
        node.set("expressions", [key for at, key in enumerate(keys) if at != choice])
    return len(keys) + 1


def _order(node: exp.Expr, schema: Schema, choice: int) -> int:
    if not isinstance(node, exp.Ordered):
        return 0
    if choice >= 0:
        node.set("desc", not node.args.get("desc"))
    return 1


def _negated(node: exp.Expr, schema: Schema, choice: int) -> int:
    if isinstance(node, exp.Not):
        if choice >= 0:
            node.replace(node.this)
        return 1
    if not isinstance(node, exp.In | exp.Exists | exp.Like | exp.Between | exp.Is):
        return 0
    if choice >= 0:
        node.replace(exp.Not(this=node.copy()))
    return 1


def _element(node: exp.Expr, schema: Schema, choice: int) -> int:
    """Leave out a value of IN, a branch of CASE, or the second value of COALESCE."""
    if not isinstance(node, exp.In | exp.Case | exp.Coalesce):
        return 0
    part = "ifs" if isinstance(node, exp.Case) else "expressions"
    values = node.args.get(part) or []
    least = 1 if isinstance(node, exp.Coalesce) else 2
    if len(values) < least:
        return 0
    if choice >= 0:
        node.set(part, [each for at, each in enumerate(values) if at != choice])
    return min(len(values), 3)


def _count(node: exp.Expr, schema: Schema, choice: int) -> int:
    """Count a column instead of rows."""
    if not isinstance(node, exp.Count) or not isinstance(node.this, exp.Star):
        return 0
    select = node.find_ancestor(exp.Select)
    columns = list(select.find_all(exp.Column))[:2] if select and select.parent is None else []
    if choice >= 0:
        node.set("this", columns[choice].copy())
    return len(columns)


EDITS: tuple[Edit, ...] = (
    _swap, _drop_operand, _literal, _column, _join, _distinct, _clause, _key, _order, _negated,
    _element, _count,
)  # fmt: skip

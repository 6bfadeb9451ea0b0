"""The difference of two results: the records that were added, removed or changed.

Records are paired by a key. Without a key, or if a key value occurs more than once, identical rows
are counted instead: a row that now occurs twice instead of once was added once.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import duckdb

from provhouse.equivalence.empty_database import whole_name
from provhouse.store.warehouse.layout import Layout

from .opened_results import SIDES, open_results
from .result_files import ResultFile
from .row_digests import row_text

FLOATS = ("FLOAT", "DOUBLE")
Texts = dict[str, str | None]


@dataclass(frozen=True)
class Shape:
    """The columns that two results have in common, and those that only one of them has."""

    columns: tuple[str, ...]
    came: tuple[str, ...]
    went: tuple[str, ...]
    retyped: tuple[str, ...]


@dataclass(frozen=True)
class RecordChange:
    """A record that differs."""

    kind: str
    """``came`` (added), ``went`` (removed) or ``changed``."""
    cause: str
    """``code``, ``data``, ``either`` (each alone suffices), ``both`` (neither does), or unknown."""
    before: Texts | None
    """The values in the earlier result, as text."""
    after: Texts | None


def shape_of(one: ResultFile, other: ResultFile) -> Shape:
    """Return the columns of two results."""
    types = dict(zip(other.columns, other.types, strict=True))
    both = tuple(name for name in one.columns if name in types)
    return Shape(
        both,
        tuple(name for name in other.columns if name not in one.columns),
        tuple(name for name in one.columns if name not in types),
        tuple(n for n, type_ in zip(one.columns, one.types, strict=True)
              if n in types and types[n] != type_),
    )  # fmt: skip


def compare_records(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    results: tuple[ResultFile, ResultFile],
    key: Sequence[str],
    shape: Shape,
) -> tuple[int, int]:
    """Create the table ``differences`` with the columns kind, key, old and new.

    Returns the number of buckets, and the number of differing buckets.
    """
    opened = open_results(con, layout, results, key)
    for view, result in zip(SIDES, results, strict=True):
        types = dict(zip(result.columns, result.types, strict=True))
        project(con, view, f"{view}_rows", shape.columns, types, key)
    at = [f"c{shape.columns.index(name)}" for name in key]
    distinct = bool(at) and (
        all(each.distinct and each.key == tuple(key) for each in results)
        or all(_is_distinct(con, f"{view}_rows", at) for view in SIDES)
    )
    con.execute(_by_key(shape, results, key) if distinct else _by_rows(pairs=bool(at)))
    return opened.buckets, opened.unequal


def counts(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the numbers of records that were added, removed and changed."""
    found = dict(con.execute("select kind, count(*) from differences group by kind").fetchall())
    return {kind: found.get(kind, 0) for kind in ("came", "went", "changed")}


def first_changes(
    con: duckdb.DuckDBPyConnection, columns: Sequence[str], limit: int
) -> Iterator[RecordChange]:
    """Yield the first records of the table ``differences``, in the order of their keys."""
    query = "select kind, cause, old, new from differences order by key, kind, old, new limit ?"
    for kind, cause, *rows in con.execute(query, [limit]).fetchall():
        before, after = (
            None if row is None else dict(zip(columns, json.loads(row), strict=True))
            for row in rows
        )
        yield RecordChange(kind, cause, before, after)


def project(
    con: duckdb.DuckDBPyConnection,
    source: str,
    view: str,
    columns: Sequence[str],
    types: dict[str, str],
    key: Sequence[str],
) -> None:
    """Create a view of columns named by position, with a string of all columns and one of the key.

    A second view, named after the source, has only the columns.
    """
    listed = [f"{whole_name((name,))} as c{at}" for at, name in enumerate(columns)]
    texts = row_text(columns, types), row_text(key or columns, types)
    con.execute(
        f"create view {view} as select {', '.join(listed)}, {texts[0]} as row_text, "
        f"{texts[1]} as key_text from {source}"
    )
    con.execute(f"create view {source}_columns as select {', '.join(listed)} from {source}")


def _is_distinct(con: duckdb.DuckDBPyConnection, view: str, at: Sequence[str]) -> bool:
    query = f"select 1 from {view} group by {', '.join(at)} having count(*) > 1 limit 1"
    return con.execute(query).fetchone() is None


def _by_key(shape: Shape, results: tuple[ResultFile, ResultFile], key: Sequence[str]) -> str:
    """Return SQL for the differences of rows whose keys are distinct.

    Strings are computed only for rows that differ, since they cost more than the join.
    """
    places = range(len(shape.columns))
    at = [shape.columns.index(name) for name in key]
    same = " and ".join(f"a.c{number} is not distinct from b.c{number}" for number in at)
    sides = [
        {f"{side}{number}": dict(zip(result.columns, result.types, strict=True))[name]
         for number, name in enumerate(shape.columns)}
        for side, result in zip("ab", results, strict=True)
    ]  # fmt: skip
    rows = [row_text([*types], types) for types in sides]
    keys = [row_text([[*types][number] for number in at], types) for types in sides]
    differ = [_differ(number, shape, sides[0][f"a{number}"]) for number in places]
    listed = ", ".join(f"{side}.c{number} as {side}{number}" for side in "ab" for number in places)
    one, other = (f"(select *, true as here from {view}_columns)" for view in SIDES)
    return f"""
        create temp table pairs as select {listed}, a.here as old_here, b.here as new_here
        from {one} a full join {other} b on {same}
        where a.here is null or b.here is null or {" or ".join(differ)};
        create temp table differences as
        select case when old_here is null then 'came' when new_here is null then 'went'
            else 'changed' end as kind,
            case when old_here then {keys[0]} else {keys[1]} end as key,
            case when old_here then {rows[0]} end as old,
            case when new_here then {rows[1]} end as new, '' as cause
        from pairs"""


def _differ(number: int, shape: Shape, type_: str) -> str:
    """Return SQL for whether a column differs. It distinguishes 0.0 from -0.0, which are equal."""
    one, other = f"a.c{number}", f"b.c{number}"
    texts = f"{one}::varchar is distinct from {other}::varchar"
    if shape.columns[number] in shape.retyped:
        return texts
    zeros = f" or ({one} = 0 and {texts})" if type_ in FLOATS else ""
    return f"({one} is distinct from {other}{zeros})"


def _by_rows(*, pairs: bool) -> str:
    """Return SQL for the differences in how often each row occurs.

    If one row was added and one removed with the same key, this counts as one changed row.
    """
    one, other = (
        f"select row_text, any_value(key_text) as key, count(*) as n from {view}_rows "
        "group by row_text"
        for view in SIDES
    )
    return f"""
        create temp table differences as
        with extra as (
            select coalesce(a.row_text, b.row_text) as row_text, coalesce(a.key, b.key) as key,
                coalesce(a.n, 0) - coalesce(b.n, 0) as more
            from ({one}) a full join ({other}) b on a.row_text = b.row_text
            where a.n is distinct from b.n
        ), keys as (
            select key, {pairs} and sum(greatest(more, 0)) = 1 and sum(least(more, 0)) = -1 as pair,
                max(row_text) filter (where more > 0) as old,
                max(row_text) filter (where more < 0) as new
            from extra group by key
        )
        select 'changed' as kind, key, old, new, '' as cause from keys where pair
        union all
        select case when more > 0 then 'went' else 'came' end, key,
            case when more > 0 then row_text end, case when more < 0 then row_text end, ''
        from (select *, unnest(range(abs(more))) from extra)
        where key not in (select key from keys where pair)"""

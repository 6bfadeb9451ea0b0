"""A history of edits of a dbt project, and the models that each edit changed when run.

A quarter of the edits change only the SQL text. Of the others, 57% change select lists alone and
16% filters, as in a published project's history; the rest changes joins, groups and names.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import duckdb

from .edit_project import PROJECT, RAW, Model, is_aggregate

STEPS = 200
DATABASES = 2
Project = dict[str, Model]
Result = tuple[tuple[tuple[str, str], ...], Counter[tuple[Any, ...]]]
"""The names and types of columns, and the rows."""
Edit = Callable[[Project, Model, Random], Project | None]


@dataclass(frozen=True)
class Step:
    """One edit: all models before and after it, and the names of models with changed results."""

    kind: str
    edited: str
    before: tuple[Model, ...]
    after: tuple[Model, ...]
    changed: frozenset[str]
    """The models with other columns or rows in at least one of several random databases."""

    def files(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the SQL texts of the models by path, before and after the edit."""
        one, other = ({m.path: m.text() for m in models} for models in (self.before, self.after))
        return one, other

    def modified(self) -> frozenset[str]:
        """Return the models whose files differ."""
        one, other = self.files()
        return frozenset(m.name for m in self.after if one.get(m.path) != other[m.path])

    def modified_and_descendants(self) -> frozenset[str]:
        """Return the models that ``state:modified+`` selects."""
        found = set(self.modified())
        for model in self.after:
            if found & set(model.reads):
                found.add(model.name)
        return frozenset(found)


class Runs:
    """The results of a project's models in random databases."""

    def __init__(self, raw: str = RAW, databases: int = DATABASES) -> None:
        self._databases = [filled(raw, seed) for seed in range(databases)]
        self.results: dict[str, list[Result]] = {}

    def run(self, models: Sequence[Model], names: frozenset[str]) -> dict[str, list[Result]]:
        """Run the given models and return their results; raise duckdb.Error if a model fails."""
        found: dict[str, list[Result]] = {}
        for model in models:
            if model.name in names:
                found[model.name] = [_built(con, model) for con in self._databases]
        return found


def _built(con: duckdb.DuckDBPyConnection, model: Model) -> Result:
    con.execute(f"create or replace table {model.name} as {model.sql()}")
    done = con.execute(f"from {model.name}")
    assert done.description is not None
    shape = tuple((name, str(type_)) for name, type_, *_ in done.description)
    return shape, Counter(done.fetchall())


def filled(raw: str, seed: int) -> duckdb.DuckDBPyConnection:
    """Return a database whose sources have random rows, with NULLs and duplicates."""
    source = Random(seed)
    con = duckdb.connect(config={"threads": 1})
    con.execute(raw)
    for table, names, types in con.execute(TABLES).fetchall():
        pairs = list(zip(names, types, strict=True))
        rows = [
            [_value(source, name, type_, number) for name, type_ in pairs]
            for number in range(source.choice((15, 30, 60)))
        ]
        con.executemany(f"insert into {table} values ({', '.join('?' * len(pairs))})", rows)
    return con


TABLES = """select table_name, list(column_name order by column_index),
    list(data_type order by column_index) from duckdb_columns() where not internal
    group by table_name order by table_name"""
VALUES = {"status": ("done", "returned", "open"), "kind": ("toy", "tool", "Toy")}


def _value(source: Random, name: str, type_: str, number: int) -> Any:
    if name == "id":
        return number
    if source.random() < 0.08:
        return None
    if name in VALUES:
        return source.choice(VALUES[name])
    if type_ == "DATE":
        return f"2024-01-{source.randrange(1, 29):02}"
    if type_ == "BOOLEAN":
        return source.random() < 0.2
    if type_ == "VARCHAR":
        return source.choice(("Anna", "bea ", "Cleo", "anna", ""))
    return source.randrange(0, 20 if type_ == "INTEGER" else 200)


def history(seed: int = 6, steps: int = STEPS) -> Iterator[Step]:
    """Yield edits of the project. Each edit starts from the project after the previous edit."""
    source, runs = Random(seed), Runs()
    project = {model.name: model for model in PROJECT}
    runs.results = runs.run(list(project.values()), frozenset(project))
    for kind in _kinds(source, steps):
        while True:
            name = source.choice(list(project))
            edited = source.choice(EDITS[kind])(project, project[name], source)
            if edited is None or edited == project:
                continue
            step = _tried(runs, kind, name, project, edited)
            if step is not None:
                break
        yield step
        project = edited


def _kinds(source: Random, steps: int) -> list[str]:
    """Return the kind of each step, in random order."""
    text = round(steps * 0.25)
    listed, filters = round((steps - text) * 0.57), round((steps - text) * 0.16)
    counts = {"text": text, "select list": listed, "filter": filters}
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    kinds += ["other"] * (steps - len(kinds))
    source.shuffle(kinds)
    return kinds


def _tried(runs: Runs, kind: str, name: str, before: Project, after: Project) -> Step | None:
    """Return an edit as a step, or None if DuckDB refuses an edited model."""
    models = tuple(after.values())
    step = Step(kind, name, tuple(before.values()), models, frozenset())
    touched = step.modified_and_descendants()
    try:
        found = runs.run(models, touched)
    except duckdb.Error:
        runs.run(list(before.values()), touched)
        return None
    changed = frozenset(each for each in found if found[each] != runs.results.get(each))
    runs.results |= found
    return replace(step, changed=changed)


def _with(project: Project, *models: Model) -> Project:
    return {**project, **{model.name: model for model in models}}


def _comment(project: Project, model: Model, source: Random) -> Project:
    words = source.sample(("checked", "by", "finance", "see", "wiki", "one", "row", "each"), 3)
    return _with(project, replace(model, comment=" ".join(words)))


def _case(project: Project, model: Model, source: Random) -> Project:
    return _with(project, replace(model, upper=not model.upper))


def _lines(project: Project, model: Model, source: Random) -> Project:
    return _with(project, replace(model, narrow=not model.narrow))


def _alias(project: Project, model: Model, source: Random) -> Project:
    """Rename the WITH query for an input, and every reference to the query."""
    old = source.choice(model.inputs).alias
    new = f"{old}_{source.randrange(10)}"
    text = [*(each for each, _ in model.columns), *model.conditions]
    text += [each.condition for each in model.inputs]
    made, inputs = model, []
    for name in {word for each in text for word in _references(each) if word.startswith(f"{old}.")}:
        made = made.replaced(name, new + name.removeprefix(old))
    for each in made.inputs:
        inputs.append(replace(each, alias=new) if each.alias == old else each)
    return _with(project, replace(made, inputs=tuple(inputs)))


def _references(text: str) -> list[str]:
    for sign in "(),":
        text = text.replace(sign, " ")
    return [word for word in text.split() if "." in word and not word[0].isdigit()]


def _available(project: Project, model: Model) -> list[str]:
    """Return the columns of all models that a model reads."""
    return [
        f"{each.alias}.{name}"
        for each in model.inputs
        if each.table in project
        for _, name in project[each.table].columns
    ]


def _add_column(project: Project, model: Model, source: Random) -> Project | None:
    found = _available(project, model)
    name = f"extra_{source.randrange(1000)}"
    if not found or model.grouped:
        made = source.choice(("count(*)", "max(1)")) if model.grouped else "1"
    else:
        made = source.choice(("{}", "coalesce({}, {})", "nullif({}, {})")).replace(
            "{}", source.choice(found)
        )
    return _with(project, replace(model, columns=(*model.columns, (made, name))))


def _drop_column(project: Project, model: Model, source: Random) -> Project | None:
    """Drop a column that no model reads."""
    unused = [name for _, name in model.columns if not _readers(project, model.name, name)]
    if not unused or len(model.columns) < 2 or model.distinct:
        return None
    gone = source.choice(unused)
    left = tuple(each for each in model.columns if each[1] != gone)
    if model.grouped and not any(is_aggregate(made) for made, _ in left):
        return None
    return _with(project, replace(model, columns=left))


def _readers(project: Project, table: str, name: str) -> list[Model]:
    """Return the models that read a column of a model."""
    return [model for model in project.values() if model.renamed(table, name, "?") != model]


def _change_column(project: Project, model: Model, source: Random) -> Project | None:
    at = source.randrange(len(model.columns))
    made, name = model.columns[at]
    if model.grouped and not is_aggregate(made):
        return None
    forms = ("{} + 1", "{} * 2", "coalesce({}, 0)", "upper({})", "trim({})", "greatest({}, 3)")
    changed = source.choice(forms).format(made)
    if is_aggregate(made) and not changed.startswith(made[:4]):
        return None
    return _with(project, replace(model, columns=_put(model.columns, at, (changed, name))))


def _put(columns: Sequence[tuple[str, str]], at: int, new: tuple[str, str]) -> Any:
    return (*columns[:at], new, *columns[at + 1 :])


def _reorder(project: Project, model: Model, source: Random) -> Project:
    return _with(project, replace(model, columns=(*model.columns[1:], model.columns[0])))


def _add_filter(project: Project, model: Model, source: Random) -> Project | None:
    found = _available(project, model)
    if not found or len(model.conditions) > 2:
        return None
    name = source.choice(found)
    forms = ("{} is not null", "{} > 5", "{} <> 3", "{} >= '2024-01-10'", "{} <> 'Anna'")
    return _with(
        project,
        replace(model, conditions=(*model.conditions, source.choice(forms).format(name))),
    )


def _change_filter(project: Project, model: Model, source: Random) -> Project | None:
    if not model.conditions:
        return None
    *others, last = model.conditions
    swaps = ((" > ", " >= "), (" >= ", " > "), (" < ", " <= "), (" 5", " 7"), ("-10'", "-14'"))
    swapped = [last.replace(old, new) for old, new in swaps if old in last]
    if not swapped or source.random() < 0.3:
        return _with(project, replace(model, conditions=tuple(others)))
    return _with(project, replace(model, conditions=(*others, source.choice(swapped))))


def _change_join(project: Project, model: Model, source: Random) -> Project | None:
    if len(model.inputs) < 2:
        return None
    *others, last = model.inputs
    kind = "join" if last.kind == "left join" else "left join"
    return _with(project, replace(model, inputs=(*others, replace(last, kind=kind))))


def _add_key(project: Project, model: Model, source: Random) -> Project | None:
    found = _available(project, model)
    if not model.grouped or not found:
        return None
    made = (source.choice(found), f"key_{source.randrange(100)}")
    return _with(project, replace(model, columns=(made, *model.columns)))


def _change_aggregate(project: Project, model: Model, source: Random) -> Project | None:
    at = source.randrange(len(model.columns))
    made, name = model.columns[at]
    swaps = {"sum(": "max(", "max(": "sum(", "min(": "max(", "count(": "count(distinct "}
    if not is_aggregate(made) or "*" in made or "distinct" in made:
        return None
    start = next(each for each in swaps if made.startswith(each))
    changed = swaps[start] + made.removeprefix(start)
    return _with(project, replace(model, columns=_put(model.columns, at, (changed, name))))


def _distinct(project: Project, model: Model, source: Random) -> Project | None:
    return None if model.grouped else _with(project, replace(model, distinct=not model.distinct))


def _rename(project: Project, model: Model, source: Random) -> Project:
    """Rename a column, and every reference to it in other models."""
    at = source.randrange(len(model.columns))
    made, old = model.columns[at]
    new = f"{old.rstrip('0123456789_')}_{source.randrange(100)}"
    readers = [each.renamed(model.name, old, new) for each in _readers(project, model.name, old)]
    columns = _put(model.columns, at, (made, new))
    return _with(project, *readers, replace(model, columns=columns))


EDITS: Mapping[str, Sequence[Edit]] = {
    "text": (_comment, _case, _lines, _alias),
    "select list": (_add_column, _add_column, _drop_column, _change_column, _reorder),
    "filter": (_add_filter, _change_filter),
    "other": (_change_join, _add_key, _change_aggregate, _distinct, _rename),
}

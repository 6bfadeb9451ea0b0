"""Random programs over two tracked frames. Each also runs on plain pandas and on fewer rows.

A program is a list of steps. Each step is chosen among the steps that the current columns allow, so
that the program runs without errors.

An operation that drops rows because of other rows may keep such a row when the program runs on the
records of one row only. Later groups would then contain this row, too. So such operations come
last, and only steps that drop no rows follow a window. In the same way, an outer merge may treat a
row as unmatched although the row has a match in the complete run. So the second frame is not read
again after an outer merge.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pandas as pd

from . import frame_data

Step = Callable[[Any, Any, Any], Any]
"""A function of the library, the current frame and the second frame."""


@dataclass
class RandomProgram:
    """A random program, its data, and its source for messages."""

    data: dict[str, Any]
    steps: list[Step] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def __call__(self, lib: Any, a: Any, b: Any) -> Any:
        """Run the program."""
        for step in self.steps:
            a = step(lib, a, b)
        return a

    def __repr__(self) -> str:
        return " | ".join(self.names)


def random_program(seed: int, most: int = 5) -> RandomProgram:
    """Return the random program of a seed, with frames of 0 to 10 rows."""
    random = Random(seed)
    kind = random.choice(frame_data.KEYS)
    sizes = random.choice([0, 1, 6, 8, 10]), random.choice([0, 2, 5, 7])
    program = RandomProgram(
        {
            "a": frame_data.frame(seed, sizes[0], kind),
            "b": frame_data.frame(seed + 1, sizes[1], kind),
        }
    )
    allowed = STEPS
    for _ in range(random.randint(1, most)):
        frame = program(pd, **{name: each.copy() for name, each in program.data.items()})
        if len(frame.columns) > 16 or len(frame) > 60:
            break
        made = _step(random, frame, len(program.steps), allowed)
        program.names.append(made[0])
        program.steps.append(made[1])
        plan = made[2]
        if plan in CHOOSING:
            break
        if plan in READING_OTHERS:
            allowed = DROPPING_NONE
        elif plan is _outer:
            allowed = [each for each in allowed if each not in (_outer, _inner, _isin)]
    return program


def _step(
    random: Random, frame: pd.DataFrame, number: int, plans: list[Any]
) -> tuple[str, Step, Any]:
    """Return a step that fits a frame, and the plan that made the step."""
    numbers = [name for name in frame if pd.api.types.is_numeric_dtype(frame[name].dtype)
               and not pd.api.types.is_bool_dtype(frame[name].dtype)]  # fmt: skip
    texts = [name for name in frame if name == "s" or str(name).startswith("s_")]
    keys = [name for name in frame if name in ("k", "s", "flag", "t")]
    plan = random.choice(plans)
    if not numbers or not texts or not keys:
        plan = _head
    name, step = plan(
        f"c{number}", random.choice(numbers or [None]), random.choice(texts or [None]),
        random.choice(keys or list(frame)), random,
    )  # fmt: skip
    return name, step, plan


def _filter(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    limit = random.randint(-2, 8)
    return f"{v} > {limit}", lambda lib, a, b: a[a[v] > limit]


def _filter_mean(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"{v} <= mean", lambda lib, a, b: a[a[v] <= a[v].mean()]


def _query(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"query {v}", lambda lib, a, b: a.query(f"{v} > 0 or {s} == 'a'")


def _sorting(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    up = random.random() < 0.5
    by = k if v is None else v
    return f"sort {by}", lambda lib, a, b: a.sort_values(by, kind="stable", ascending=up)


def _head(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return "head", lambda lib, a, b: a.head(4)


def _dropna(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"dropna {v}", lambda lib, a, b: a.dropna(subset=[v])


def _duplicates(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    keep: Any = random.choice(["first", "last"])
    return f"drop_duplicates {k} {keep}", lambda lib, a, b: a.drop_duplicates([k], keep=keep)


def _single(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"without duplicates of {k}", lambda lib, a, b: a.drop_duplicates([k], keep=False)


def _inner(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return _merge(new, k, "inner")


def _outer(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return _merge(new, k, random.choice(["left", "right", "outer"]))


def _merge(new: str, k: Any, how: Any) -> tuple[str, Step]:
    return f"merge {how} {k}", lambda lib, a, b: a.merge(
        b[["k", "v", "s", "t", "flag"]].rename(columns={"v": f"v_{new}"})
        .drop(columns=[each for each in ("k", "s", "t", "flag") if each != k]), on=k, how=how,
    )  # fmt: skip


def _concat(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return "concat halves", lambda lib, a, b: lib.concat(
        [a[a[s] == "a"], a[a[s] != "b"]], ignore_index=True
    )


def _group(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    drop, how = random.random() < 0.5, random.choice(["sum", "max", "mean", "count"])
    return (
        f"group {k} {how} {drop}",
        lambda lib, a, b: (
            a.groupby(k, dropna=drop, observed=True)
            .agg(**{new: (v, how), f"s_{new}": (s, "first")})
            .reset_index()
        ),
    )


def _group_two(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    by = list(dict.fromkeys([k, s]))
    return (
        f"group {by}",
        lambda lib, a, b: (
            a.groupby(by, dropna=False, observed=True, sort=False).agg(v=(v, "sum")).reset_index()
        ),
    )


def _transform(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    how = random.choice(["sum", "min", "count"])
    return f"transform {k} {v} {how}", lambda lib, a, b: a.assign(
        **{new: a.groupby(k, dropna=False, observed=True)[v].transform(how)}
    )


def _running(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    how = random.choice(["cumsum", "shift", "cumcount", "diff", "ffill", "bfill", "rank"])
    return f"{how} {v} by {k}", lambda lib, a, b: a.assign(
        **{new: getattr(a.groupby(k, observed=True)[v], how)()}
    )


def _window(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    how: Any = random.choice(
        [lambda c: c.shift(2), lambda c: c.shift(-1), lambda c: c.cumsum(), lambda c: c.diff(),
         lambda c: c.ffill(), lambda c: c.bfill(limit=1), lambda c: c.rank(),
         lambda c: c.astype(float).rolling(3, min_periods=1).sum(),
         lambda c: c.astype(float).rolling(2, center=True).max(),
         lambda c: c.astype(float).expanding().min()]
    )  # fmt: skip
    return f"window {v}", lambda lib, a, b: a.assign(
        **{new: how(a[v].astype("Float64").astype(float))}
    )


def _arithmetic(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"arithmetic {v}", lambda lib, a, b: a.assign(
        **{new: (a[v] * 2 - 1).where(a[s] != "b", 0), f"s_{new}": a[s].fillna("?").str.upper()}
    )


def _share(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"share {v}", lambda lib, a, b: a.assign(**{new: a[v].fillna(0) - a[v].max()})


def _isin(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"isin {s}", lambda lib, a, b: a[a[s].isin(b["s"])]


def _melt(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    ids = [each for each in dict.fromkeys([k, s]) if each != v]
    return f"melt {v}", lambda lib, a, b: a.melt(ids, [v], value_name=new, var_name=f"s_{new}")


def _explode(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"explode {s}", lambda lib, a, b: a.assign(
        **{f"s_{new}": (a[s].fillna("x") + "-y").str.split("-")}
    ).explode(f"s_{new}")


def _group_head(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"head by {k}", lambda lib, a, b: a.groupby(k, observed=True).head(1)


def _group_filter(new: str, v: Any, s: Any, k: Any, random: Random) -> tuple[str, Step]:
    return f"filter by {s}", lambda lib, a, b: a.groupby(s).filter(lambda g: len(g) > 1)


CHOOSING = [_head, _group_head, _single]
"""Steps that drop rows because of other rows."""
READING_OTHERS = [_running, _window]
DROPPING_NONE = [_arithmetic, _transform, _share, *CHOOSING]
STEPS = [
    _filter, _filter_mean, _query, _sorting, _dropna, _duplicates, _inner, _outer, _concat, _group,
    _group, _group_two, _isin, _melt, _explode, _group_filter, *READING_OTHERS, *DROPPING_NONE,
]  # fmt: skip

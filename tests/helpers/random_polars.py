"""Random programs over two tracked frames of polars.

As in ``random_frames``, steps that drop rows because of other rows come last, only steps that drop
no rows follow a window, and the second frame is not read again after a left or full join. All steps
keep the order of rows, because later steps may depend on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import polars as pl

from . import frame_data
from .random_frames import RandomProgram, Step

c = pl.col


@dataclass(frozen=True)
class Names:
    """The columns that a step uses, and the name of its new column."""

    new: str
    number: str
    text: str
    key: str


Plan = Callable[[Names, Random], tuple[str, Step]]


def random_polars(seed: int, most: int = 5) -> RandomProgram:
    """Return the random program of a seed, with frames of 0 to 10 rows."""
    random = Random(seed)
    kind = random.choice(frame_data.KEYS)
    sizes = random.choice([0, 1, 6, 8, 10]), random.choice([0, 2, 5, 7])
    program = RandomProgram(
        {name: _frame(seed + at, sizes[at], kind) for at, name in enumerate("ab")}
    )
    allowed: Sequence[Plan] = STEPS
    for number in range(random.randint(1, most)):
        frame = program(pl, **program.data)
        if len(frame.columns) > 16 or len(frame) > 60:
            break
        plan, names = _chosen(random, frame, number, allowed)
        name, step = plan(names, random)
        program.names.append(name)
        program.steps.append(step)
        if plan in CHOOSING:
            break
        if plan in READING_OTHERS:
            allowed = DROPPING_NONE
        elif plan is _outer:
            allowed = [each for each in allowed if each not in READING_SECOND]
    return program


def _frame(seed: int, size: int, kind: str) -> pl.DataFrame:
    plain = pl.from_pandas(frame_data.frame(seed, size, kind))
    return plain.with_columns(c("n").cast(pl.Int64), c("s").cast(pl.String))


def _chosen(
    random: Random, frame: pl.DataFrame, number: int, plans: Sequence[Plan]
) -> tuple[Plan, Names]:
    """Return a plan, and columns of the frame that fit it."""
    numbers = [name for name, kind in frame.schema.items() if kind.is_numeric() and name != "k"]
    texts = [name for name in frame.columns if name == "s" or name.startswith("s_")]
    keys = [name for name in frame.columns if name in ("k", "s", "flag", "t")]
    if not (numbers and texts and keys):
        return _head, Names("", "", "", "")
    chosen = random.choice(numbers), random.choice(texts), random.choice(keys)
    return random.choice(plans), Names(f"c{number}", *chosen)


def _filter(on: Names, random: Random) -> tuple[str, Step]:
    limit = random.randint(-2, 8)
    return f"{on.number} > {limit}", lambda lib, a, b: a.filter(c(on.number) > limit)


def _filter_mean(on: Names, random: Random) -> tuple[str, Step]:
    v = on.number
    return f"{v} <= mean", lambda lib, a, b: a.filter(c(v) <= c(v).mean())


def _filter_over(on: Names, random: Random) -> tuple[str, Step]:
    v, k = on.number, on.key
    return f"{v} >= mean over {k}", lambda lib, a, b: a.filter(c(v) >= c(v).mean().over(k))


def _either(on: Names, random: Random) -> tuple[str, Step]:
    v, s = on.number, on.text
    return f"either {v} {s}", lambda lib, a, b: a.filter((c(v) > 0) | (c(s) == "a"))


def _sorting(on: Names, random: Random) -> tuple[str, Step]:
    down, v = random.random() < 0.5, on.number
    options = {"descending": down, "nulls_last": random.random() < 0.5, "maintain_order": True}
    return f"sort {v}", lambda lib, a, b: a.sort(v, **options)


def _head(on: Names, random: Random) -> tuple[str, Step]:
    return "head", lambda lib, a, b: a.head(4)


def _tail(on: Names, random: Random) -> tuple[str, Step]:
    return "tail", lambda lib, a, b: a.tail(3)


def _drop_nulls(on: Names, random: Random) -> tuple[str, Step]:
    return f"drop_nulls {on.number}", lambda lib, a, b: a.drop_nulls([on.number])


def _unique(on: Names, random: Random) -> tuple[str, Step]:
    keep = random.choice(["first", "last"])
    return f"unique {on.key} {keep}", lambda lib, a, b: a.unique(
        [on.key], keep=keep, maintain_order=True
    )


def _single(on: Names, random: Random) -> tuple[str, Step]:
    return f"only unique {on.key}", lambda lib, a, b: a.unique(
        [on.key], keep="none", maintain_order=True
    )


def _inner(on: Names, random: Random) -> tuple[str, Step]:
    return _join(on, "inner")


def _outer(on: Names, random: Random) -> tuple[str, Step]:
    return _join(on, random.choice(["left", "full"]))


def _join(on: Names, how: str) -> tuple[str, Step]:
    new = f"v_{on.new}"
    return f"join {how} {on.key}", lambda lib, a, b: a.join(
        b.select(on.key, c("v").alias(new)), on=on.key, how=how, maintain_order="left_right",
        coalesce=True,
    )  # fmt: skip


def _anti(on: Names, random: Random) -> tuple[str, Step]:
    return f"join anti {on.key}", lambda lib, a, b: a.join(
        b.filter(c("v") > 3), on=on.key, how="anti", maintain_order="left"
    )


def _concat(on: Names, random: Random) -> tuple[str, Step]:
    return f"concat {on.text}", lambda lib, a, b: lib.concat(
        [a.filter(c(on.text) == "a"), a.filter(c(on.text) != "b")]
    )


def _group(on: Names, random: Random) -> tuple[str, Step]:
    how = random.choice(["sum", "max", "mean", "count", "median", "n_unique"])
    return (
        f"group {on.key} {how} {on.number}",
        lambda lib, a, b: a.group_by(on.key, maintain_order=True).agg(
            getattr(c(on.number), how)().alias(on.new), c(on.text).first().alias(f"s_{on.new}")
        ),
    )


def _group_two(on: Names, random: Random) -> tuple[str, Step]:
    by = list(dict.fromkeys([on.key, on.text]))
    return (
        f"group {by}",
        lambda lib, a, b: a.group_by(by, maintain_order=True).agg(
            v=c(on.number).filter(c(on.number) > 1).sum(), n=pl.len()
        ),
    )


def _unpivot(on: Names, random: Random) -> tuple[str, Step]:
    ids = list(dict.fromkeys([on.key, on.text]))
    names = {"value_name": on.new, "variable_name": f"s_{on.new}"}
    return f"unpivot {on.number}", lambda lib, a, b: a.unpivot([on.number], index=ids, **names)


def _explode(on: Names, random: Random) -> tuple[str, Step]:
    new, parts = f"s_{on.new}", (c(on.text).fill_null("x") + "-y").str.split("-")
    return f"explode {on.text}", lambda lib, a, b: a.with_columns(parts.alias(new)).explode(
        new, empty_as_null=True
    )


def _over(on: Names, random: Random) -> tuple[str, Step]:
    how = random.choice(["sum", "min", "count", "first"])
    over = getattr(c(on.number), how)().over(on.key).alias(on.new)
    return f"{how} {on.number} over {on.key}", lambda lib, a, b: a.with_columns(over)


def _running(on: Names, random: Random) -> tuple[str, Step]:
    how = random.choice(["cum_sum", "shift", "cum_count", "diff", "forward_fill", "rank"])
    over = getattr(c(on.number), how)().over(on.key).alias(on.new)
    return f"{how} {on.number} over {on.key}", lambda lib, a, b: a.with_columns(over)


def _window(on: Names, random: Random) -> tuple[str, Step]:
    v = c(on.number)
    how = random.choice(
        [v.shift(2), v.shift(-1), v.cum_sum(), v.diff(), v.forward_fill(), v.rank(),
         v.backward_fill(1), v.rolling_sum(3, min_samples=1), v.rolling_max(2), v.cum_min()]
    )  # fmt: skip
    return f"window {how}", lambda lib, a, b: a.with_columns(how.alias(on.new))


def _arithmetic(on: Names, random: Random) -> tuple[str, Step]:
    value = pl.when(c(on.text) != "b").then(c(on.number) * 2 - 1).otherwise(0)
    text = c(on.text).fill_null("?").str.to_uppercase()
    return f"arithmetic {on.number}", lambda lib, a, b: a.with_columns(
        value.alias(on.new), text.alias(f"s_{on.new}")
    )


def _share(on: Names, random: Random) -> tuple[str, Step]:
    share = c(on.number).fill_null(0) - c(on.number).max()
    return f"share {on.number}", lambda lib, a, b: a.with_columns(share.alias(on.new))


CHOOSING: Sequence[Plan] = (_head, _tail, _single, _anti)
"""Steps that drop rows because of other rows."""
READING_OTHERS: Sequence[Plan] = (_running, _window)
READING_SECOND: Sequence[Plan] = (_inner, _outer, _anti)
DROPPING_NONE: Sequence[Plan] = (_arithmetic, _over, _share, _head, _tail, _single)
STEPS: Sequence[Plan] = (
    _filter, _filter_mean, _filter_over, _either, _sorting, _drop_nulls, _unique, _inner, _outer,
    _anti, _concat, _group, _group, _group_two, _unpivot, _explode, *READING_OTHERS, *DROPPING_NONE,
)  # fmt: skip

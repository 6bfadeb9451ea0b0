"""Each operation on tracked polars frames: its result equals polars', its lineage is checked."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from helpers import frame_data
from helpers.frame_oracle import Program, check
from helpers.sampled import one_in
from provhouse import polars as tracked
from provhouse.model.errors import UsageError

c = pl.col
MINIMAL: dict[str, Program] = {
    "filter": lambda lib, a, b: a.filter(c("v") > 2, ~c("flag")),
    "filter of all columns": lambda lib, a, b: a.filter(~pl.any_horizontal(pl.all().is_null())),
    "filter by equality": lambda lib, a, b: a.filter(s="a"),
    "filter of missing values": lambda lib, a, b: a.filter(c("v").is_null() | c("s").is_in(["a"])),
    "with_columns": lambda lib, a, b: a.with_columns((c("v") * 2 + c("n")).alias("w"), c=pl.lit(1)),
    "select": lambda lib, a, b: a.select(
        "id", c("s").str.to_uppercase().alias("u"), c("t").dt.year()
    ),
    "when": lambda lib, a, b: a.with_columns(w=pl.when(c("v") > 1).then(c("n")).otherwise(0)),
    "cast and rename": lambda lib, a, b: a.cast({"v": pl.String}).rename({"v": "w"}).drop("t"),
    "fill_null": lambda lib, a, b: a.fill_null(0),
    "coalesce": lambda lib, a, b: a.with_columns(w=pl.coalesce(c("v"), c("n"), 0).round(1)),
    "concat_str": lambda lib, a, b: a.with_columns(w=pl.concat_str(["s", "n"], separator="-")),
    "sort": lambda lib, a, b: a.sort("v", c("s"), descending=[True, False], nulls_last=True),
    "head": lambda lib, a, b: a.head(3),
    "tail": lambda lib, a, b: a.tail(3),
    "top_k": lambda lib, a, b: a.top_k(3, by="id"),
    "drop_nulls": lambda lib, a, b: a.drop_nulls(["v", "k"]),
    "explode": lambda lib, a, b: a.with_columns(
        w=(c("s").fill_null("x") + "-y").str.split("-")
    ).explode("w", empty_as_null=True),
    "unpivot": lambda lib, a, b: a.unpivot(["v", "n"], index=["id", "s"]),
    "inner join": lambda lib, a, b: a.join(b, on="k"),
    "join of missing keys": lambda lib, a, b: a.join(
        b, on=["k", "flag"], nulls_equal=True, suffix="_r"
    ),
    "cross join": lambda lib, a, b: a.head(3).join(b.head(2), how="cross"),
    "concat": lambda lib, a, b: lib.concat([a, b.rename({"id2": "id"})]),
}
SUFFICIENT: dict[str, Program] = {
    "filter by a mean": lambda lib, a, b: a.filter(c("v") >= c("v").mean()),
    "share": lambda lib, a, b: a.with_columns(p=c("v") / c("v").sum()),
    "over": lambda lib, a, b: a.with_columns(
        m=c("v").mean().over("k"), r=c("n").rank().over("s", "flag")
    ),
    "shift": lambda lib, a, b: a.with_columns(m=c("v").shift(1), n=c("v").cum_sum()),
    "forward fill": lambda lib, a, b: a.with_columns(c("v").fill_null(strategy="forward")),
    "rolling": lambda lib, a, b: a.with_columns(c("v").rolling_mean(2)),
    "is_in a column": lambda lib, a, b: a.filter(c("v").is_in(c("n").cast(pl.Float64).implode())),
    "aggregates": lambda lib, a, b: a.select(c("v").sum(), pl.len(), c("k").n_unique().alias("u")),
    "left join": lambda lib, a, b: a.join(b, on="k", how="left"),
    "full join": lambda lib, a, b: a.join(b, on="k", how="full"),
    "right join": lambda lib, a, b: a.join(b, on="k", how="right"),
    "anti join": lambda lib, a, b: a.join(b.filter(c("v") > 3), on="s", how="anti"),
    "group": lambda lib, a, b: a.group_by("k").agg(c("v").sum(), c("n").max(), pl.len()),
    "group in order": lambda lib, a, b: a.group_by("s", "flag", maintain_order=True).agg(
        c("v").filter(c("n") > 2).sum(), x=c("n").first()
    ),
    "group by an expression": lambda lib, a, b: a.group_by(c("t").dt.month().alias("m")).agg(
        c("v").mean()
    ),
    "group of all columns": lambda lib, a, b: (
        a.select("s", "v", "n").group_by("s").agg(pl.all().sum())
    ),
    "number of rows": lambda lib, a, b: a.group_by("k").len(),
    "group after join": lambda lib, a, b: (
        a.join(b, on="k").group_by("s").agg(c("v_right").sum()).sort("s")
    ),
    "unique": lambda lib, a, b: a.unique("s", keep="first", maintain_order=True),
    "unique of all": lambda lib, a, b: a.select("s", "flag").unique(),
    "unique of last": lambda lib, a, b: a.unique(["k", "flag"], keep="last", maintain_order=True),
    "only unique": lambda lib, a, b: a.unique("s", keep="none", maintain_order=True),
    "pivot": lambda lib, a, b: a.pivot("flag", index="s", values="v", aggregate_function="max"),
    "join_asof": lambda lib, a, b: (
        a.drop_nulls("t").sort("t").join_asof(b.drop_nulls("t").sort("t"), on="t")
    ),
}


def _data(seed: int, kind: str = "text", ids: bool = False, empty: str = "") -> dict[str, Any]:
    found = {}
    for at, (name, size) in enumerate((("a", 12), ("b", 9))):
        plain = frame_data.frame(seed + 100 * at, size, kind)
        made = pl.from_pandas(plain).with_columns(c("n").cast(pl.Int64), c("s").cast(pl.String))
        if ids:
            made = made.with_columns(pl.Series("id2" if at else "id", range(size)))
        found[name] = made.head(0) if name == empty else made
    return found


@pytest.mark.parametrize("name", one_in(2, MINIMAL))
def test_records_are_sufficient_and_each_is_needed(name: str) -> None:
    check(MINIMAL[name], _data(1, ids=True), minimal=True)


@pytest.mark.parametrize("name", one_in(2, SUFFICIENT))
def test_records_are_sufficient(name: str) -> None:
    check(SUFFICIENT[name], _data(2))


@pytest.mark.parametrize("name", one_in(4, [*MINIMAL, *SUFFICIENT]))
@pytest.mark.parametrize("empty", ["a", "b"])
def test_empty_frames_have_the_results_of_polars(name: str, empty: str) -> None:
    check((MINIMAL | SUFFICIENT)[name], _data(3, ids=True, empty=empty))


@pytest.mark.parametrize("kind", one_in(3, frame_data.KEYS))
@pytest.mark.parametrize("name", ["inner join", "full join", "group", "over", "unique of last"])
def test_keys_of_each_type(name: str, kind: str) -> None:
    check((MINIMAL | SUFFICIENT)[name], _data(4, kind, ids=True))


CASES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "an unknown operation": (lambda a: a.rolling("t"), "Frame.rolling"),
    "a column": (lambda a: a["v"], "Use select, filter or slice"),
    "a Python function": (
        lambda a: a.with_columns(c("v").map_elements(lambda v: v, return_dtype=pl.Float64)),
        "a Python function",
    ),
    "a series in an expression": (
        lambda a: a.with_columns(pl.lit(pl.Series([1] * 8))),
        "data of polars",
    ),
    "a series": (lambda a: a.with_columns(pl.Series("x", [1] * 8)), "with a Series"),
    "a filter in an expression": (
        lambda a: a.select(c("v").filter(c("v") > 1)),
        "expression Filter",
    ),
    "an expression that sorts": (lambda a: a.with_columns(c("v").sort()), "expression Sort"),
    "another number of rows": (lambda a: a.select(c("v").unique()), "the function Unique"),
    "over an expression": (lambda a: a.with_columns(c("v").sum().over(c("n") + 1)), "over(...)"),
    "unpivot by a pattern": (lambda a: a.unpivot(pl.col("^v.*$")), "Give names of columns"),
    "a semi join": (lambda a: a.join(a, on="k", how="semi"), "distinct keys"),
    "plain data": (lambda a: a.join(a.to_polars(), on="k"), "track()"),
    "columns side by side": (lambda a: tracked.concat([a, a], how="horizontal"), "horizontal"),
    "a group that reads other rows": (lambda a: a.group_by(c("v").rank()).agg(), "Add it first"),
    "groups in a loop": (lambda a: a.group_by("k").map_groups(len), "group_by.map_groups"),
    "a hidden name": (lambda a: a.rename({"v": "__provhouse_x"}), "reserved"),
    "a lazy frame": (lambda a: tracked.track(a.to_polars().lazy(), table="x"), "collect()"),
    "a key with duplicates": (lambda a: a.mark("m", key="k"), "does not identify"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_our_own_words(name: str) -> None:
    call, words = CASES[name]
    a = tracked.track(_data(1)["a"].head(8), table="a")
    with pytest.raises(UsageError) as error:
        call(a)
    assert words in str(error.value)

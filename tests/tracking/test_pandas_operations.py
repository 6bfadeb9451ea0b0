"""Each operation on tracked pandas frames: its result equals pandas', its lineage is checked."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers import frame_data
from helpers.frame_oracle import Program, check
from helpers.sampled import one_in
from provhouse import pandas as tracked

pytestmark = pytest.mark.filterwarnings("ignore:The behavior of Index.insert")  # pandas' pivot


def _windows(lib: Any, a: Any, b: Any) -> Any:
    a = a.sort_values("v", kind="stable")
    a["up"] = a["v"].shift(2)
    a["down"] = a["v"].shift(-1)
    a["step"] = a["v"].diff()
    a["run"] = a["v"].cumsum()
    return a


MINIMAL: dict[str, Program] = {
    "filter": lambda lib, a, b: a[a["v"] > 2],
    "filter of a nullable condition": lambda lib, a, b: a[a["n"] > 3],
    "filter of two conditions": lambda lib, a, b: a[(a["v"] > 2) & ~a["flag"]],
    "loc": lambda lib, a, b: a.loc[a["flag"], ["k", "v"]],
    "loc of a function": lambda lib, a, b: a.loc[lambda a: a["v"] < 3],
    "query": lambda lib, a, b: a.query("v > 1 and not flag or s == 'a'"),
    "query with in": lambda lib, a, b: a.query("s in ['a', 'b'] and v.notna()"),
    "sort": lambda lib, a, b: a.sort_values(["s", "v"], ascending=[True, False], kind="stable"),
    "sort by labels": lambda lib, a, b: a.sort_index(ascending=False),
    "head": lambda lib, a, b: a.head(3),
    "tail": lambda lib, a, b: a.tail(3),
    "nlargest": lambda lib, a, b: a.nlargest(3, "v"),
    "dropna": lambda lib, a, b: a.dropna(subset=["v", "k"]),
    "dropna anywhere": lambda lib, a, b: a.dropna(how="any"),
    "assign": lambda lib, a, b: a.assign(w=lambda a: a["v"] * 2 + a["n"], c=1),
    "columns": lambda lib, a, b: a[["v", "s"]].rename(columns={"v": "w"}).assign(t="x"),
    "texts": lambda lib, a, b: a.assign(u=a["s"].str.upper().str[0]),
    "times": lambda lib, a, b: a.assign(y=a["t"].dt.year, d=a["t"].dt.day_name()),
    "fillna": lambda lib, a, b: a.assign(v=a["v"].fillna(0.5)),
    "where": lambda lib, a, b: a.assign(v=a["v"].where(a["flag"], -1.0)),
    "map": lambda lib, a, b: a.assign(m=a["s"].map({"a": 1, "b": 2})),
    "apply by rows": lambda lib, a, b: a.assign(m=a.apply(lambda r: f"{r['s']}{r['v']}", axis=1)),
    "numpy": lambda lib, a, b: a.assign(m=np.sqrt(a["v"] + 10)),
    "inner merge": lambda lib, a, b: a.merge(b, on="k"),
    "merge with suffixes": lambda lib, a, b: a.merge(b, on=["k", "flag"], suffixes=("", "_r")),
    "cross merge": lambda lib, a, b: a.head(3).merge(b.head(3), how="cross"),
    "concat": lambda lib, a, b: lib.concat([a, b], ignore_index=True),
    "explode": lambda lib, a, b: a.assign(l=a["s"].fillna("x").str.split("")).explode("l"),
    "melt": lambda lib, a, b: a.melt(["k", "s"], ["v", "n"], var_name="which"),
}
"""Programs whose rows have no unneeded records in their lineage."""
SUFFICIENT: dict[str, Program] = {
    "filter by a mean": lambda lib, a, b: a[a["v"] >= a["v"].mean()],
    "share of a sum": lambda lib, a, b: a.assign(p=a["v"] / a["v"].sum()),
    "two single values": lambda lib, a, b: a.assign(
        z=(a["v"] - a["v"].mean()) / (a["v"].max() - b["v"].min())
    ),
    "fillna by a median": lambda lib, a, b: a.assign(v=a["v"].fillna(a["v"].median())),
    "isin": lambda lib, a, b: a[a["k"].isin(b["k"])],
    "isin of a list": lambda lib, a, b: a[a["s"].isin(["a", "é"])],
    "not isin": lambda lib, a, b: a[~a["k"].isin(b[b["v"] > 90]["k"])],
    "left merge": lambda lib, a, b: a.merge(b, on="k", how="left", suffixes=("_x", "_y")),
    "right merge": lambda lib, a, b: a.merge(b, on="k", how="right"),
    "outer merge": lambda lib, a, b: a.merge(b, on="k", how="outer", indicator=True),
    "merge by labels": lambda lib, a, b: a.merge(b, left_index=True, right_index=True),
    "group": lambda lib, a, b: (
        a.groupby("k", observed=True).agg(s=("v", "sum"), n=("n", "max")).reset_index()
    ),
    "group with missing keys": lambda lib, a, b: a.groupby(
        "k", dropna=False, as_index=False, observed=True
    )["v"].mean(),
    "group by two": lambda lib, a, b: (
        a.groupby(["k", "flag"], observed=True)[["v"]].sum().reset_index()
    ),
    "group without order": lambda lib, a, b: a.groupby("s", sort=False)["v"].median().reset_index(),
    "group by a computed column": lambda lib, a, b: (
        a.groupby(a["t"].dt.month)["v"].count().reset_index()
    ),
    "size": lambda lib, a, b: a.groupby("k", observed=True).size().reset_index(name="many"),
    "group by a function": lambda lib, a, b: (
        a.groupby("s")[["v"]].agg(lambda v: v.max() - v.min()).reset_index()
    ),
    "transform": lambda lib, a, b: a.assign(m=a.groupby("k", observed=True)["v"].transform("mean")),
    "rank in groups": lambda lib, a, b: a.assign(m=a.groupby("s")["v"].rank()),
    "apply by groups": lambda lib, a, b: (
        a.groupby("s")[["v", "n"]].apply(lambda g: g.nlargest(2, "v")).reset_index(drop=True)
    ),
    "apply by groups to a value": lambda lib, a, b: (
        a.groupby("s")[["v", "n"]]
        .apply(lambda g: g["v"].sum() - g["n"].sum())
        .reset_index(name="x")
    ),
    "apply of a column": lambda lib, a, b: (
        a.groupby("s")["v"].apply(lambda v: v.max() - v.min()).reset_index()
    ),
    "filter of groups": lambda lib, a, b: a.groupby("s").filter(lambda g: g["v"].sum() > 5),
    "head of groups": lambda lib, a, b: a.groupby("s").head(2),
    "running in groups": lambda lib, a, b: a.assign(
        c=a.groupby("s")["v"].cumsum(), i=a.groupby("s").cumcount()
    ),
    "shift in groups": lambda lib, a, b: a.assign(
        c=a.groupby("s")["v"].shift(1), d=a.groupby("s")["v"].diff(-1)
    ),
    "ffill in groups": lambda lib, a, b: a.assign(
        c=a.groupby("s")["v"].ffill(), d=a.groupby("s")["v"].bfill()
    ),
    "windows": _windows,
    "ffill": lambda lib, a, b: a[["v", "n", "t"]].ffill(),
    "ffill with a limit": lambda lib, a, b: a.assign(x=a["v"].ffill(limit=1)),
    "bfill": lambda lib, a, b: a.assign(x=a["v"].bfill()),
    "rolling": lambda lib, a, b: a.assign(x=a["v"].rolling(3, min_periods=1).mean()),
    "centred rolling": lambda lib, a, b: a.assign(x=a["v"].rolling(3, center=True).sum()),
    "rolling of times": lambda lib, a, b: (
        a.dropna(subset=["t"])
        .sort_values("t", kind="stable")[["t", "v"]]
        .rolling("40D", on="t")
        .sum()
    ),
    "expanding": lambda lib, a, b: a.assign(x=a["v"].expanding().max()),
    "rank": lambda lib, a, b: a.assign(x=a["v"].rank(method="dense")),
    "drop_duplicates": lambda lib, a, b: a.drop_duplicates("s"),
    "drop_duplicates of last": lambda lib, a, b: a.drop_duplicates(["k", "flag"], keep="last"),
    "drop_duplicates of all": lambda lib, a, b: a[["s", "flag"]].drop_duplicates(),
    "drop all duplicates": lambda lib, a, b: a.drop_duplicates("s", keep=False),
    "value_counts": lambda lib, a, b: a["s"].value_counts(dropna=False, sort=False).reset_index(),
    "value_counts of shares": lambda lib, a, b: (
        a["s"].value_counts(normalize=True, sort=False).reset_index()
    ),
    "pivot": lambda lib, a, b: (
        a.assign(w=a["flag"].map(str))
        .drop_duplicates(["s", "w"])
        .pivot(index="s", columns="w", values="v")
    ),
    "pivot_table": lambda lib, a, b: a.pivot_table(
        index="s", columns="flag", values="v", aggfunc="sum"
    ).reset_index(),
    "pivot_table by two": lambda lib, a, b: a.pivot_table(
        index=["s", "flag"], values="v", aggfunc="max"
    ).reset_index(),
    "merge_asof": lambda lib, a, b: lib.merge_asof(
        a.dropna(subset=["t"]).sort_values("t", kind="stable"),
        b.dropna(subset=["t"]).sort_values("t", kind="stable"),
        on="t",
    ),
}


def _data(seed: int, kind: str = "text", sizes: tuple[int, int] = (12, 9)) -> dict[str, Any]:
    return {
        "a": frame_data.frame(seed, sizes[0], kind),
        "b": frame_data.frame(seed + 100, sizes[1], kind),
    }


@pytest.mark.parametrize("name", one_in(2, MINIMAL))
def test_records_are_sufficient_and_each_is_needed(name: str) -> None:
    data = _data(1)
    data["a"]["id"] = range(12)  # a row is not replaced by an equal one
    data["b"]["id2"] = range(9)
    check(MINIMAL[name], data, minimal=True)


@pytest.mark.parametrize("name", one_in(3, SUFFICIENT))
def test_records_are_sufficient(name: str) -> None:
    check(SUFFICIENT[name], _data(2))


@pytest.mark.parametrize("name", one_in(4, [*MINIMAL, *SUFFICIENT]))
@pytest.mark.parametrize("empty", ["a", "b"])
def test_empty_frames_have_the_results_of_pandas(name: str, empty: str) -> None:
    data = _data(3)
    data[empty] = data[empty].head(0)
    program = (MINIMAL | SUFFICIENT)[name]
    try:
        program(pd, **{table: each.copy() for table, each in data.items()})
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        pytest.skip("pandas itself refuses it")
    check(program, data, plain=name != "apply by groups")


@pytest.mark.parametrize("kind", one_in(6, frame_data.KEYS))
@pytest.mark.parametrize(
    "name", ["inner merge", "outer merge", "group", "group with missing keys", "transform", "isin",
             "drop_duplicates of last", "size"]
)  # fmt: skip
def test_keys_of_each_type(name: str, kind: str) -> None:
    check((MINIMAL | SUFFICIENT)[name], _data(4, kind))


@pytest.mark.parametrize("observed", [False, True])
def test_categories_that_do_not_occur_have_no_records(observed: bool) -> None:
    data = _data(5, "category")
    a = tracked.track(data["a"], table="a")
    result = a.groupby("k", observed=observed)["v"].sum().reset_index()
    counts = data["a"]["k"].value_counts()
    keys = result.to_pandas()["k"].tolist()
    assert ("never" in keys) != observed
    for at, key in enumerate(keys):
        found = result.backward([at], "a")["a"]
        assert len(found) == counts[key]
        assert set(found.rows["k"]) <= {key}

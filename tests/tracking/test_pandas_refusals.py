"""Operations that tracked pandas frames refuse, with an error that names each and a remedy."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from helpers.frame_data import frame
from provhouse import pandas as tracked
from provhouse.model.errors import UsageError

LIMIT = 3


def _a() -> Any:
    return tracked.track(frame(1, 8), table="a")


def _other() -> Any:
    return tracked.track(frame(2, 8), table="b")


def _set_by_loc(a: Any) -> None:
    a.loc[a["v"] > 1, "v"] = 0


CASES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "an unknown operation": (lambda a: a.swaplevel(), "Frame.swaplevel"),
    "join": (lambda a: a.join(_other()), "Use merge"),
    "in place": (lambda a: a.sort_values("v", inplace=True), "not changed in place"),
    "an unknown argument": (lambda a: a.sample(axis=1), "sample with axis="),
    "loc as a target": (_set_by_loc, "mask(condition, value)"),
    "loc by labels": (lambda a: a.loc[3], "loc by labels"),
    "a mean in query": (lambda a: a.query("v > v.mean()"), "query with v.mean()"),
    "a function in query": (lambda a: a.query("@len(s) > 1"), "query with @len()"),
    "another column in query": (lambda a: a.query("v in n"), "in all rows"),
    "numbers of groups": (lambda a: a.groupby("s")["v"].transform("ngroup"), "all groups"),
    "a filter of one column of groups": (
        lambda a: a.groupby("s")["v"].filter(lambda v: True),
        "of some columns",
    ),
    "several columns as labels": (lambda a: a.set_index(["s", "v"]), "Name one"),
    "an index in query": (lambda a: a.query("s[0] == 'a'"), "query with s[0]"),
    "an unknown variable": (lambda a: a.query("v > @nothing"), "no variable of this name"),
    "a column in query": (lambda a: a.query("v > @b") if (b := a["v"].min()) else b, "tracked"),
    "a plain Series": (lambda a: a.assign(x=pd.Series([1.0])), "assign with a Series"),
    "a plain array": (lambda a: a["v"] + np.arange(8), "with a ndarray"),
    "a list": (lambda a: a.assign(x=[1] * 8), "assign of a list"),
    "a filter by a plain Series": (lambda a: a[pd.Series([True] * 8)], "selection with a Series"),
    "a column of other rows": (lambda a: a.assign(x=_other()["v"]), "different frames"),
    "a filter by other rows": (lambda a: a[_other()["flag"]], "different frames"),
    "the truth of a column": (lambda a: bool(a["v"]), "Filter rows with frame[condition]"),
    "the number of a single value": (lambda a: float(a["v"].mean()), "Use .plain"),
    "a loop over values": (lambda a: list(a["v"]), "to_pandas()"),
    "a loop over a frame": (lambda a: list(a), "a loop over a frame"),
    "unique": (lambda a: a["v"].unique(), "Column.unique"),
    "categories": (lambda a: a["s"].astype("category").cat, "Column.cat"),
    "where by a function": (lambda a: a["v"].where(lambda v: v > v.mean()), "with a function"),
    "a split into columns": (lambda a: a["s"].str.split("", expand=True), "expand=True"),
    "str.cat": (lambda a: a["s"].str.cat(), "Column.str.cat"),
    "apply by columns": (lambda a: a.apply(sum), "apply by columns"),
    "a merge with plain data": (lambda a: a.merge(frame(1, 3), on="k"), "track()"),
    "groupby of a level": (lambda a: a.groupby(level=0), "level"),
    "rolling of groups": (lambda a: a.groupby("k").rolling(3), "groupby.rolling"),
    "groupby.apply to a list": (
        lambda a: a.groupby("flag")[["v"]].apply(lambda g: [1, 2]),
        "returns a list",
    ),
    "a MultiIndex": (lambda a: a.groupby(["s", "flag"])[["v"]].sum().head(), "reset_index()"),
    "columns of two levels": (
        lambda a: a.groupby("s").agg({"v": ["min", "max"]}),
        "columns with a MultiIndex",
    ),
    "pivot of several values": (
        lambda a: a.pivot(index="s", columns="flag", values=["v", "n"]),
        "several columns of values",
    ),
    "margins": (lambda a: a.pivot_table(index="s", values="v", margins=True), "margins="),
    "a guessed format": (lambda a: tracked.to_datetime(a["s"]), "guesses it from the first row"),
    "a number of bins": (lambda a: tracked.cut(a["v"], cast(Any, 3)), "depend on all rows"),
    "concat of plain data": (lambda a: tracked.concat([a, frame(1, 2)]), "concat with a"),
    "a hidden name": (lambda a: a.assign(__provhouse_row=1), "The name is reserved"),
    "a ufunc that reduces": (lambda a: np.add.reduce(a["v"]), "numpy.add"),
    "fillna by a method": (lambda a: a["v"].fillna(0, limit=1), "limit="),
    "several quantiles": (lambda a: a["v"].quantile([0.1, 0.9]), "one by one"),
    "two frames of one name": (
        lambda a: a.merge(_a(), on="v").backward([0]),
        "Two frames have the name 'a'",
    ),
    "an unknown table": (lambda a: a.backward([0], "z"), "They come from: a"),
    "an unknown row": (lambda a: a.backward([8]), "Its rows are 0 to 7"),
    "a negative row": (lambda a: a.forward("a", [-1]), "has no row -1"),
    "a key with duplicates": (lambda a: a.mark("m", key="k"), "does not identify the rows"),
    "a key that is missing": (lambda a: a.mark("m", key="z"), "rows by 'z'"),
    "a file of another format": (
        lambda a: a.write_triples("trace.txt", table="x"),
        "neither .csv nor .parquet",
    ),
    "rows named like their source": (
        lambda a: a.head(2).write_triples("t.csv", table="a"),
        "They derive from a table of this name",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_our_own_words(name: str) -> None:
    call, words = CASES[name]
    with pytest.raises(UsageError) as error:
        call(_a())
    assert words in str(error.value)


def test_a_source_with_a_multiindex_or_equal_names_is_refused() -> None:
    given = frame(1, 4)
    with pytest.raises(tracked.NotTracked, match="MultiIndex"):
        tracked.track(given.set_index(["s", "n"]), table="a")
    with pytest.raises(tracked.NotTracked, match="two columns 'v'"):
        tracked.track(pd.concat([given, given[["v"]]], axis=1), table="a")
    with pytest.raises(UsageError, match="Cannot track a Series"):
        tracked.track(given["v"], table="a")


def test_query_reads_the_variables_of_the_caller() -> None:
    limit = 3
    assert _a().query("v > @limit and v < @LIMIT + 4").to_pandas()["v"].between(limit, 7).all()


def test_a_frame_that_changes_does_not_change_earlier_results() -> None:
    a = _a()
    before = a.head(3)
    a["v"] = 0
    assert (a.to_pandas()["v"] == 0).all()
    pd.testing.assert_frame_equal(before.to_pandas(), frame(1, 8).head(3))
    given = frame(1, 8)
    kept = tracked.track(given, table="a")
    given["v"] = 0
    assert (kept.to_pandas()["v"] != 0).any()


def test_hasattr_and_repr_work() -> None:
    a = _a()
    assert not hasattr(a, "unknown_operation")
    assert repr(a) == "<Frame of a: 8 rows>"
    assert "<table" in a._repr_html_()
    assert repr(a["v"]) == "<Column 'v': 8 rows>"
    assert repr(a["v"].count()).startswith("<Single ")

"""Thirty small pipelines of the kinds that people write with pandas.

Each pipeline is a function of a library, orders, customers and events.
"""

from typing import Any

import numpy as np
import pandas as pd


def data(seed: int = 0, size: int = 14) -> dict[str, pd.DataFrame]:
    """Return orders, customers and events with missing values, duplicates and typing errors."""
    rng = np.random.default_rng(seed)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, size), unit="D")
    orders = pd.DataFrame(
        {
            "order": np.arange(size) + 500,
            "customer": pd.Series(rng.integers(1, 7, size), dtype="Int64").mask(
                rng.random(size) < 0.15, pd.NA
            ),
            "amount": np.round(rng.random(size) * 90, 2),
            "quantity": rng.integers(1, 5, size),
            "day": days.strftime("%Y-%m-%d"),
            "status": rng.choice(["paid", "Paid ", "open", "void"], size),
            "tags": rng.choice(["a", "a;b", "b;c", ""], size),
        }
    )
    orders.loc[rng.random(size) < 0.2, "amount"] = np.nan
    customers = pd.DataFrame(
        {
            "customer": pd.Series([1, 2, 3, 4, 5, 5], dtype="Int64"),
            "country": pd.Categorical(["DE", "FR", None, "DE", "US", "US"]),
            "since": pd.to_datetime(
                ["2020-01-01", "2021-05-05", None, "2019-02-02"] + ["2023-01-01"] * 2
            ),
        }
    )
    seconds = np.sort(rng.integers(0, 9000, size))
    events = pd.DataFrame(
        {
            "user": rng.choice(["u1", "u2", "u3"], size),
            "at": pd.to_datetime("2024-03-01") + pd.to_timedelta(seconds, unit="s"),
            "page": rng.choice(["home", "cart", "pay"], size),
            "value": rng.integers(0, 100, size).astype(float),
        }
    )
    events.loc[rng.random(size) < 0.3, "value"] = np.nan
    return {"orders": orders, "customers": customers, "events": events}


def _clean(lib: Any, orders: Any) -> Any:
    orders = orders.assign(
        status=orders["status"].str.strip().str.lower(),
        day=lib.to_datetime(orders["day"], format="%Y-%m-%d"),
    )
    return orders[orders["status"] != "void"].dropna(subset=["amount"])


def cleaning(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return _clean(lib, orders).sort_values("order")


def cleaning_with_defaults(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return orders.fillna({"amount": 0.0, "customer": -1}).astype({"customer": "int64"})


def cleaning_outliers(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    low, high = orders["amount"].quantile(0.1), orders["amount"].quantile(0.9)
    return orders[(orders["amount"] >= low) & (orders["amount"] <= high)]


def cleaning_by_median_of_group(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    medians = orders.groupby("status")["amount"].transform("median")
    return orders.assign(amount=orders["amount"].fillna(medians))


def deduplicating(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    newest = orders.sort_values(["day", "order"], ascending=False, kind="stable")
    return newest.drop_duplicates("customer").sort_values("order")


def joining(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return _clean(lib, orders).merge(customers, on="customer", how="left")


def joining_distinct(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    people = customers.drop_duplicates("customer", keep="last")
    return orders.merge(people, on="customer", how="inner", validate="many_to_one")


def semi_join(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    german = customers[customers["country"] == "DE"]
    return orders[orders["customer"].isin(german["customer"])]


def anti_join(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    both = orders.merge(customers, on="customer", how="left", indicator=True)
    return both[both["_merge"] == "left_only"].drop(columns=["_merge"])


def reconciling(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    left = orders.groupby("customer", as_index=False)["amount"].sum()
    both = left.merge(customers, on="customer", how="outer", suffixes=("", "_c"))
    return both[both["amount"].isna() | both["country"].isna()]


def report_by_country(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    both = _clean(lib, orders).merge(customers, on="customer")
    totals = both.groupby("country", observed=True).agg(
        total=("amount", "sum"), orders=("order", "nunique"), first=("day", "min")
    )
    return totals.reset_index().sort_values("total", ascending=False)


def report_by_month(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    clean = _clean(lib, orders)
    clean["month"] = clean["day"].dt.strftime("%Y-%m")
    return clean.pivot_table(
        index="month", columns="status", values="amount", aggfunc="sum", fill_value=0
    ).reset_index()


def report_of_shares(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    totals = orders.groupby("status", as_index=False)["amount"].sum()
    return totals.assign(share=lambda t: t["amount"] / t["amount"].sum())


def report_of_tops(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return orders.sort_values("amount", ascending=False, kind="stable").groupby("status").head(2)


def report_of_large_groups(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return orders.groupby("status").filter(lambda group: len(group) > 2)


def report_long(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    totals = orders.groupby("status", as_index=False).agg(
        amount=("amount", "sum"), quantity=("quantity", "sum")
    )
    return totals.melt("status", var_name="measure")


def report_with_total(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    rows = orders.groupby("status", as_index=False)["quantity"].sum()
    total = orders.assign(status="all").groupby("status", as_index=False)["quantity"].sum()
    return lib.concat([rows, total], ignore_index=True)


def cumulative_report(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    days = orders.groupby("day", as_index=False)["quantity"].sum()
    return days.assign(until=days["quantity"].cumsum(), rank=days["quantity"].rank())


def counting(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return orders["status"].str.strip().value_counts(sort=False).reset_index()


def tags(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    each = orders.assign(tag=orders["tags"].str.split(";")).explode("tag")
    return each[each["tag"] != ""].groupby("tag")["amount"].mean().reset_index()


def features(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    found = orders[["order", "amount", "quantity"]].assign(
        price=orders["amount"] / orders["quantity"], large=orders["amount"] > 40
    )
    return found.assign(log=np.log1p(found["price"].fillna(0)))


def scaled_features(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    mean, deviation = orders["amount"].mean(), orders["amount"].std()
    return orders.assign(z=(orders["amount"] - mean) / deviation)[["order", "z"]]


def features_of_customers(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    groups = orders.groupby("customer")
    return orders.assign(
        mean=groups["amount"].transform("mean"),
        earlier=groups.cumcount(),
        last=groups["day"].shift(),
    )


def binned_features(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    bins = lib.cut(orders["amount"], [0, 20, 50, 100], labels=["low", "mid", "high"])
    found = orders.assign(level=bins.astype(object))
    return found.groupby("level").size().reset_index(name="orders")


def features_by_rows(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return orders.assign(text=orders.apply(lambda row: f"{row['order']}:{row['status']}", axis=1))


def sessions(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    events = events.sort_values(["user", "at"], kind="stable")
    gap = events.groupby("user")["at"].diff()
    events["new"] = (gap.isna() | (gap > pd.Timedelta("20min"))).astype(int)
    events["session"] = events.groupby("user")["new"].cumsum()
    return events.groupby(["user", "session"], as_index=False).agg(
        start=("at", "min"), end=("at", "max"), pages=("page", "count")
    )


def funnel(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    first = events.groupby(["user", "page"])["at"].min().reset_index()
    return first.pivot(index="user", columns="page", values="at")


def filled_series(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    return events.sort_values("at", kind="stable").assign(
        value=lambda frame: frame["value"].ffill().bfill()
    )


def moving_average(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    events = events.sort_values("at", kind="stable")
    return events.assign(average=events["value"].rolling(3, min_periods=1).mean())


def latest_before(lib: Any, orders: Any, customers: Any, events: Any) -> Any:
    pays = events[events["page"] == "pay"].sort_values("at", kind="stable")
    homes = events[events["page"] == "home"][["user", "at", "value"]]
    return lib.merge_asof(pays, homes.sort_values("at", kind="stable"), on="at", by="user")


PIPELINES = {
    name: made
    for name, made in list(globals().items())
    if callable(made) and getattr(made, "__module__", "") == __name__
    and not name.startswith("_") and name != "data"
}  # fmt: skip

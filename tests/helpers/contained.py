"""Pairs of a stored query and an edited query, whose results overlap to a stated extent.

``kind`` states how to obtain the rows of the edited query: by a filter of the stored result, from
the stored result and a query for the new rows, or not from the stored result at all.
"""

from dataclasses import dataclass
from typing import Literal

DDL = """
    create table sales(id integer primary key, day date not null, city varchar, kind varchar,
      amount decimal(10, 2), customer integer not null);
    create table customers(customer integer primary key, name varchar, country varchar);"""
"""The tables of all pairs."""
Kind = Literal["filter of stored", "stored plus delta", "not contained"]


@dataclass(frozen=True)
class Edited:
    """A query with a stored result, and the query after an edit."""

    kind: Kind
    stored: str
    edited: str


ALL = "select id, day, city, kind, amount from sales"
GROUPED = "select city, kind, sum(amount) as total, count(*) as n from sales"
JOINED = "select s.id, s.amount, c.country from sales s join customers c on s.customer = c.customer"
TOP = "select id, amount from sales order by amount desc nulls last, id limit"
CASES: dict[str, Edited] = {
    "a condition is added": Edited("filter of stored", ALL, f"{ALL} where amount > 10"),
    "a bound is tightened": Edited(
        "filter of stored", f"{ALL} where amount > 10", f"{ALL} where amount > 20"
    ),
    "a bound becomes strict": Edited(
        "filter of stored", f"{ALL} where amount >= 10", f"{ALL} where amount > 10"
    ),
    "a list is shortened": Edited(
        "filter of stored",
        f"{ALL} where city in ('Rome', 'Oslo', 'Bern')",
        f"{ALL} where city in ('Rome', 'Bern')",
    ),
    "a list becomes a value": Edited(
        "filter of stored", f"{ALL} where city in ('Rome', 'Oslo')", f"{ALL} where city = 'Rome'"
    ),
    "dates are narrowed": Edited(
        "filter of stored",
        f"{ALL} where day between date '2024-01-01' and date '2024-12-31'",
        f"{ALL} where day between date '2024-03-01' and date '2024-05-31'",
    ),
    "a prefix is longer": Edited(
        "filter of stored", f"{ALL} where city like 'R%'", f"{ALL} where city like 'Ro%'"
    ),
    "an alternative is dropped": Edited(
        "filter of stored", f"{ALL} where kind = 'toy' or amount > 50", f"{ALL} where amount > 50"
    ),
    "NULL is excluded": Edited("filter of stored", ALL, f"{ALL} where city is not null"),
    "groups are filtered by a key": Edited(
        "filter of stored",
        f"{GROUPED} group by city, kind",
        f"{GROUPED} where city = 'Rome' group by city, kind",
    ),
    "groups are filtered by a total": Edited(
        "filter of stored",
        f"{GROUPED} group by city, kind",
        f"{GROUPED} group by city, kind having count(*) > 2",
    ),
    "HAVING is tightened": Edited(
        "filter of stored",
        f"{GROUPED} group by city, kind having count(*) > 1",
        f"{GROUPED} group by city, kind having count(*) > 3",
    ),
    "a join is filtered": Edited("filter of stored", JOINED, f"{JOINED} where c.country = 'IT'"),
    "a LIMIT is smaller": Edited("filter of stored", f"{TOP} 10", f"{TOP} 3"),
    "a condition and a column": Edited(
        "filter of stored", ALL, "select id, amount from sales where day > date '2024-06-01'"
    ),
    "distinct rows are filtered": Edited(
        "filter of stored",
        "select distinct city, kind from sales",
        "select distinct city, kind from sales where kind <> 'toy'",
    ),
    "a condition is removed": Edited("stored plus delta", f"{ALL} where amount > 10", ALL),
    "a bound is widened": Edited(
        "stored plus delta", f"{ALL} where amount > 20", f"{ALL} where amount > 10"
    ),
    "a bound includes its value": Edited(
        "stored plus delta", f"{ALL} where amount > 10", f"{ALL} where amount >= 10"
    ),
    "a list is longer": Edited(
        "stored plus delta",
        f"{ALL} where city in ('Rome', 'Bern')",
        f"{ALL} where city in ('Rome', 'Bern', 'Oslo')",
    ),
    "dates are widened": Edited(
        "stored plus delta",
        f"{ALL} where day between date '2024-03-01' and date '2024-05-31'",
        f"{ALL} where day between date '2024-02-01' and date '2024-06-30'",
    ),
    "an alternative is added": Edited(
        "stored plus delta", f"{ALL} where amount > 50", f"{ALL} where amount > 50 or kind = 'toy'"
    ),
    "a date range is moved": Edited(
        "stored plus delta",
        f"{ALL} where day between date '2024-01-01' and date '2024-03-31'",
        f"{ALL} where day between date '2024-02-01' and date '2024-04-30'",
    ),
    "a key of groups has more values": Edited(
        "stored plus delta",
        f"{GROUPED} where city = 'Rome' group by city, kind",
        f"{GROUPED} where city in ('Rome', 'Oslo') group by city, kind",
    ),
    "a branch of UNION ALL is added": Edited(
        "stored plus delta",
        "select id, amount from sales where kind = 'toy'",
        "select id, amount from sales where kind = 'toy' union all "
        "select id, -amount from sales where kind = 'tool'",
    ),
    "a joined table is filtered less": Edited(
        "stored plus delta",
        f"{JOINED} where c.country = 'IT'",
        f"{JOINED} where c.country in ('IT', 'NO')",
    ),
    "a filter below a sum": Edited(
        "not contained",
        f"{GROUPED} group by city, kind",
        f"{GROUPED} where amount > 10 group by city, kind",
    ),
    "a condition on a column that is not stored": Edited(
        "not contained", "select city, kind from sales", "select city, kind from sales where id > 3"
    ),
    "a LIMIT is larger": Edited("not contained", f"{TOP} 3", f"{TOP} 10"),
    "a condition below a LIMIT": Edited(
        "not contained",
        f"{TOP} 3",
        TOP.replace("from sales", "from sales where amount < 50") + " 3",
    ),
}

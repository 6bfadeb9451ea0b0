"""Programs over the shop whose lineage is known row by row, and the check against a warehouse."""

import json
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

import provhouse
from helpers.shop import ORDERS, Customer, Order
from helpers.warehouse import House

NOTE = b"org.apache.spark.sql.parquet.row.metadata"
Lineage = dict[str, set[str]]
"""By key of a written row, as a string: the names of the row's source rows."""


@dataclass(frozen=True)
class Shop:
    """The tables of an example shop as data frames."""

    orders: DataFrame
    customers: DataFrame


@dataclass(frozen=True)
class Case:
    """A program that writes rows with the key ``k``, and the expected lineage of these rows."""

    frame: Callable[[Shop], DataFrame]
    expected: Callable[[], Lineage]


def o(*orders: Order) -> set[str]:
    return {f"orders/{order.id}" for order in orders}


def c(*customers: Customer) -> set[str]:
    return {f"customers/{customer.number}" for customer in customers}


def grouped(key: Callable[[Order], Hashable], orders: Iterable[Order] = ORDERS) -> Lineage:
    """Return the lineage of groups of orders. The name of a group is its smallest order ID."""
    groups: defaultdict[Hashable, list[Order]] = defaultdict(list)
    for order in orders:
        groups[key(order)].append(order)
    return {str(min(each.id for each in group)): o(*group) for group in groups.values()}


def each(found: Callable[[Order], set[str]], orders: Iterable[Order] = ORDERS) -> Lineage:
    """Return lineage with one row for each order; a row's name is the ID of its order."""
    return {str(order.id): found(order) for order in orders}


def sql(text: str) -> Callable[[Shop], DataFrame]:
    """Return a program that runs SQL over the views ``orders`` and ``customers``."""

    def frame(shop: Shop) -> DataFrame:
        shop.orders.createOrReplaceTempView("orders")
        shop.customers.createOrReplaceTempView("customers")
        return shop.orders.sparkSession.sql(text)

    return frame


@dataclass(frozen=True)
class Done:
    """The shop, and the warehouse after a block that wrote the tables of several cases."""

    house: House
    folder: Path
    shop: Shop
    cases: Mapping[str, Case]

    def check_all(self) -> None:
        """Check every case. Fail with the names of all cases that are wrong."""
        wrong = {}
        with self.house.open() as warehouse:
            for name in self.cases:
                try:
                    self.check(name, warehouse)
                except AssertionError as error:
                    wrong[name] = str(error)
        assert not wrong, "\n\n".join(f"{name}: {error}" for name, error in wrong.items())

    def lineage(self, name: str, warehouse: provhouse.Warehouse) -> Lineage:
        """Return the stored lineage of a case. A row without source rows has no stored lineage."""
        return {
            key: {item.item for item in warehouse.lineage(f"{name}/{key}").items}
            for key, sources in self.cases[name].expected().items()
            if sources
        }

    def check(self, name: str, warehouse: provhouse.Warehouse) -> None:
        """Fail if the rows of the case, or their lineage, are not as expected."""
        expected = self.cases[name].expected()
        plain = self.cases[name].frame(self.shop)
        assert schemas(self.folder / name) == {plain.schema.simpleString()}
        table = self.house.session.read.schema(plain.schema).parquet(str(self.folder / name))
        rows = table.collect()
        assert {str(row["k"]) for row in rows} == set(expected)
        assert self.lineage(name, warehouse) == {
            key: found for key, found in expected.items() if found
        }
        assert sorted(map(str, rows)) == sorted(map(str, plain.collect()))


def schemas(folder: Path) -> set[str]:
    """Return the schemas that Spark has recorded in the Parquet files of a table."""
    notes = (pq.read_schema(path).metadata for path in folder.glob("*.parquet"))
    return {StructType.fromJson(json.loads(note[NOTE])).simpleString() for note in notes}


Block = Callable[[Iterable[str]], Done]


def written(cases: Mapping[str, Case], folder: Path, house: House, spark: SparkSession) -> Done:
    """Write the tables of the cases, next to the tables of a shop, in one block."""
    shop = Shop(*(spark.read.parquet(str(folder / name)) for name in ("orders", "customers")))
    keys = {"orders": "id", "customers": "number"} | dict.fromkeys(cases, "k")
    with warnings.catch_warnings():
        # Some cases read only one of the two tables.
        warnings.filterwarnings("ignore", "Keys are declared for (orders|customers),")
        with house.capture(keys=keys, run="cases"):
            for name, case in cases.items():
                case.frame(shop).write.parquet(str(folder / name))
    house.check()
    return Done(house, folder, shop, cases)

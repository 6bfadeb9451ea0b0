"""A nightly Spark job gets a filter: which records of millions differ, why, and by which inputs."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.cli.app import run
from provhouse.workflows.revision_diff import CauseCount

ORDERS = 2_000_000
TESTS, REPRICED = 288, 2
"""The numbers of orders that the new filter drops, and of orders of the product in question."""
PRODUCTS = 1_000
PAGE = Path(__file__).parents[2] / "docs" / "revisions.md"
KEYS = {"orders": "id", "products": "product", "report": "id"}
FILTER = "channel <> 'test'"


@dataclass(frozen=True)
class Shop:
    """A folder with the inputs of the job, and what is true of them by their construction."""

    house: House
    folder: Path

    def product(self, order: int) -> int:
        """Return the product of an order; product 0 has the first two orders."""
        return 0 if order < REPRICED else 1 + order % (PRODUCTS - 1)

    @property
    def tests(self) -> set[int]:
        """The orders of the channel that the new filter drops."""
        step = ORDERS // TESTS
        return {step * number + 5 for number in range(TESTS)}

    def write(self) -> None:
        """Write the orders, and the products with the prices of the first night."""
        order = F.col("id")
        other = 1 + order % (PRODUCTS - 1)
        step = ORDERS // TESTS
        is_test = (order % step == 5) & (order < step * TESTS)
        orders = self.house.session.range(ORDERS).select(
            order,
            F.when(order < REPRICED, 0).otherwise(other).cast("int").alias("product"),
            (1 + order % 7).cast("int").alias("quantity"),
            F.when(is_test, "test").otherwise("shop").alias("channel"),
        )
        orders.coalesce(2).write.parquet(str(self.folder / "orders"))
        self.write_products(5)

    def write_products(self, price: int) -> None:
        """Write the products. The price of product 0 is as given."""
        number = F.col("id")
        priced = F.when(number == 0, price).otherwise(3 + number % 11).cast("int").alias("price")
        products = self.house.session.range(PRODUCTS).select(number.alias("product"), priced)
        products.coalesce(1).write.mode("overwrite").parquet(str(self.folder / "products"))

    def night(self, workflow: str, products: str, *kept: str, sample: float = 1) -> str:
        """Execute and capture the job; return the name of its revision."""
        read = self.house.session.read
        orders = read.parquet(str(self.folder / "orders"))
        for condition in kept:
            orders = orders.where(condition)
        priced = read.parquet(str(self.folder / products))
        report = orders.join(priced, "product").select(
            "id", "product", (F.col("quantity") * F.col("price")).alias("amount")
        )
        with self.house.capture(keys=KEYS, workflow=workflow, sample=sample) as run:
            report.write.mode("overwrite").parquet(str(self.folder / "out" / "report"))
        assert run.report
        return run.report.revision


@pytest.fixture(scope="module")
def shop(houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The job's two nights, and both executions of one night's code on the other night's data."""
    made = Shop(houses(), tmp_path_factory.mktemp("shop"))
    made.write()
    first = made.night("nightly", "products")
    shutil.copytree(made.folder / "products", made.folder / "kept" / "products")
    made.write_products(8)
    second = made.night("nightly", "products", FILTER)
    assert (first, second) == ("nightly@r1", "nightly@r2")
    # Only the rows of these two executions are needed, so little of their lineage is stored.
    made.night("again", "products", sample=0.001)
    made.night("again", "kept/products", FILTER, sample=0.001)
    return made


@pytest.mark.long
def test_290_of_two_million_records_differ_each_with_its_cause(shop: Shop) -> None:
    with shop.house.open() as warehouse:
        found = warehouse.diff_revisions("nightly@r1", "nightly@r2", records=True, limit=1000)
    assert found.results
    assert found.results.causes == (
        CauseCount("changed", "data", REPRICED),
        CauseCount("went", "code", TESTS),
    )
    orders = {
        kind: {int((each.before or {})["id"] or -1) for each in found.results.records
               if each.kind == kind}
        for kind in ("went", "changed")
    }  # fmt: skip
    assert orders == {"went": shop.tests, "changed": set(range(REPRICED))}
    assert all(
        each.after is None or each.after["amount"] == str(8 * (1 + int(each.after["id"] or -1) % 7))
        for each in found.results.records
    )


@pytest.mark.long
def test_each_of_these_records_has_its_inputs_of_both_nights(shop: Shop) -> None:
    with shop.house.open() as warehouse:
        found = warehouse.responsible_inputs("nightly@r1", "nightly@r2", limit=1000)
    assert (found.came, found.went, found.changed) == (0, TESTS, REPRICED)
    assert len(found.records) == TESTS + REPRICED
    for each in found.records:
        order = int(str(each.before).partition("/")[2].partition("@")[0])
        side = "both" if each.kind == "changed" else "before"
        assert [(source.item, source.of) for source in each.inputs] == [
            (f"orders/{order}", side),
            (f"products/{shop.product(order)}", side),
        ]


@pytest.mark.long
def test_the_page_shows_what_the_commands_print(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROVHOUSE_WAREHOUSE", str(shop.house.settings.warehouse))
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(shop.house.settings.neo4j_home))
    monkeypatch.setenv("COLUMNS", "100")
    examples = re.findall(
        r"^\$ provhouse (revisions diff nightly.*)\n((?:.+\n)+)```", PAGE.read_text(), re.MULTILINE
    )
    assert len(examples) == 2
    for command, expected in examples:
        assert run([*command.split(), "--format", "table"]) == 0
        shown = {line.rstrip() for line in capsys.readouterr().out.splitlines()}
        lines = {each for each in expected.splitlines() if each != "…" and "sha256" not in each}
        assert lines - shown == set()
        assert len(lines) > 8

"""Charts show the records of an answer's items, or the newest records of a table."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.question import Question
from provhouse.serve.charts import item_records as charted
from provhouse.serve.charts.item_records import item_records

pytestmark = pytest.mark.long  # its short form is test_served_pages.py


@pytest.fixture(scope="module")
def house(houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory,
          spark: SparkSession) -> House:  # fmt: skip
    """A warehouse in which two nights' jobs have written the table totals."""
    shop, house = tmp_path_factory.mktemp("shop"), houses()
    write_shop(shop)
    orders = spark.read.parquet(str(shop / "orders")).where("cust is not null")
    for night in (1, 2):
        totals = orders.groupBy("cust").agg((F.sum("id") * night).alias("total"))
        with house.capture(keys={"orders": "id", "totals": "cust"}, run=f"night {night}"):
            totals.write.parquet(str(shop / str(night) / "totals"))
    return house


def test_records_of_an_answer_and_of_a_table(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    of_ann = {f"orders/{each.id}": each.id for each in ORDERS if each.cust == "ann"}
    named = [each for each in ORDERS if each.cust]
    with house.asker() as asker:
        question = Question("totals/ann", "upstream", tables=("orders",))
        found = item_records(asker, house.layout, "orders", question)
        rows = found.table.select([found.columns[0], "id"]).to_pylist()
        assert {row[found.columns[0]]: row["id"] for row in rows} == of_ann
        assert found.title == "orders that reached totals/ann"
        every = item_records(asker, house.layout, "totals", Question("", "upstream"))
        sums = dict(
            zip(*(every.table[name].to_pylist() for name in ("cust", "total")), strict=True)
        )
        assert sums == {
            cust: 2 * sum(each.id for each in named if each.cust == cust)
            for cust in {each.cust for each in named}
        }  # the second night's, not both
        with pytest.raises(NotFound, match="No record of"):
            item_records(asker, house.layout, "totals", Question("orders/1", "upstream"))
        monkeypatch.setattr(charted, "MOST", 1)
        with pytest.raises(UsageError, match="would show"):
            item_records(asker, house.layout, "orders", question)
        with pytest.raises(UsageError, match="would show"):
            item_records(asker, house.layout, "totals", Question("", "upstream"))

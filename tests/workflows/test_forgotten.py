"""An erasure of any item removes all stored results; results of new executions can be reused."""

from collections.abc import Callable
from pathlib import Path

from helpers.flow import Flow
from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.forget import forget
from provhouse.model.progress import Silent

TEXT = "select a from t where a > 1"


def test_no_result_is_offered_after_an_erasure(
    tmp_path: Path, houses: Callable[..., House]
) -> None:
    house = houses()
    house.ingest([Triple("orders/1", "bills/1", "bill", "orders", "bills")])
    flow = Flow(tmp_path, "create table t(a integer);")
    flow.settings = house.settings
    flow.table("t", "select i::integer a from range(5) t(i)")
    flow.execute(flow.add(TEXT), TEXT, "t")
    path = Path(flow.reuse(1).path)
    forget(["orders/1"], house.settings, Silent())
    assert (flow.reuse(1).reason, path.exists()) == ("the result is erased", False)
    flow.execute(1, TEXT, "t")
    assert flow.reuse(1).decision == "reuse"

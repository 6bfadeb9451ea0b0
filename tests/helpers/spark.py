"""Wait for Spark's status events, which arrive late."""

from typing import Any

from pyspark import SparkContext


def wait_for_listeners(context: SparkContext) -> None:
    """Wait until Spark's status tracker has processed all events so far."""
    jvm: Any = context._jsc
    jvm.sc().listenerBus().waitUntilEmpty()

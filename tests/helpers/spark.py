"""What Spark tells of itself, once it has come to it."""

from typing import Any

from pyspark import SparkContext


def wait_for_listeners(context: SparkContext) -> None:
    """Wait until its status tracker has heard of all that happened."""
    jvm: Any = context._jsc
    jvm.sc().listenerBus().waitUntilEmpty()

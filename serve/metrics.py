"""The server's metrics, for Prometheus."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from provhouse.model.answer import Answer, LargeAnswer

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters, gauges and histograms of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "provhouse_requests", "Requests, by path and status", ["path", "status"],
            registry=self.registry,
        )  # fmt: skip
        self.step_seconds = Histogram(
            "provhouse_step_seconds", "Seconds of each step of an answer", ["step"],
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.triples_read = Counter(
            "provhouse_triples_read", "Triples read for answers", registry=self.registry
        )
        self.cached = Counter(
            "provhouse_answers_again", "Answers from the cache", registry=self.registry
        )
        self.active = Gauge(
            "provhouse_requests_inside", "Questions that run or wait", registry=self.registry
        )
        self.generation = Gauge(
            "provhouse_generation", "The generation that answers come from", registry=self.registry
        )
        self.write_seconds = Histogram(
            "provhouse_write_seconds", "Seconds to write an answer in its format",
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip

    def count_answer(self, answer: Answer | LargeAnswer) -> None:
        """Record the time of each step of an answer, and the number of triples that it read."""
        for step, seconds in answer.seconds.items():
            self.step_seconds.labels(step).observe(seconds)
        self.triples_read.inc(answer.read.triples)

    @contextmanager
    def time_writing(self) -> Iterator[None]:
        """Record the duration of the block as time spent on writing an answer."""
        began = perf_counter()
        yield
        self.write_seconds.observe(perf_counter() - began)

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self.registry)


class MetricsMiddleware:
    """Middleware that counts responses by route and status."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = getattr(scope.get("route"), "path", "other")
                self._metrics.requests.labels(path, message["status"]).inc()
            await send(message)

        await self._app(scope, receive, counted if scope["type"] == "http" else send)

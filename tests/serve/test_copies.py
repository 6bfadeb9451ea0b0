"""Clients need not wait while the server copies all triples for RQ."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest
from pyspark.sql import SparkSession

from helpers.asgi import HOST, send_request
from helpers.oracle import Triple
from helpers.spark import occupied
from helpers.warehouse import House
from provhouse.model.progress import Silent
from provhouse.serve.auth import Access
from provhouse.serve.http_app import application
from provhouse.serve.keeper import Keeper
from provhouse.serve.people import People

ACCESS = Access(People(Path("none"), "secret"), frozenset({HOST}))


@pytest.mark.long
def test_504_says_when_to_ask_again(houses: Callable[..., House], spark: SparkSession) -> None:
    house = houses(answer_seconds=1)
    house.ingest([Triple("a", "b", "", "", "")])
    keeper = Keeper(house.settings, Silent())
    app = application(keeper, house.settings, ACCESS)

    def ask() -> tuple[int, dict[str, str], str]:
        asked = "/v1/lineage?item=b&method=rq"
        reply = send_request(app, "GET", asked, {"authorization": "Bearer secret"})
        return reply.status, dict(reply.headers), reply.body.decode()

    keeper.start()
    try:
        deadline = monotonic() + 60
        while keeper.generation is None or keeper.cold_partitions:
            assert monotonic() < deadline, keeper.not_ready_reason
            sleep(0.02)
        many = b'{"items": ["b", "a"], "method": "METHOD"}'
        token = {"authorization": "Bearer secret"}
        for method in (b"rq", b"ccprov"):
            with occupied(spark.sparkContext):
                asked = many.replace(b"METHOD", method)
                reply = send_request(app, "POST", "/v1/impact", token, asked)
            assert reply.status == 504
            assert int(dict(reply.headers)["retry-after"]) >= 1
            assert b"not complete yet" in reply.body
        with occupied(spark.sparkContext):
            status, headers, body = ask()
            assert status == 504
            assert int(headers["retry-after"]) >= 1
            assert "not complete yet" in body
        deadline = monotonic() + 120
        while (found := ask())[0] == 504:
            assert monotonic() < deadline
        assert found[0] == 200
    finally:
        keeper.close()

"""A running server does not show erased items, even if it showed them before the erasure."""

import json
from pathlib import Path

import pytest

from helpers.command import Command
from helpers.leftovers import leftovers
from provhouse.serve.server_file import running

pytestmark = pytest.mark.long

PERSON = "persons/a long name that occurs nowhere else"
OP = "an operation that occurs nowhere else"
TRACE = f"""\
src,dst,op,src_table,dst_table,by
raw/1,{PERSON},{OP},raw,persons,a clerk without other rows
{PERSON},report,sum,persons,reports,
,{PERSON},sum,,persons,
raw/2,report,sum,raw,reports,
report,board,sum,reports,boards,
"""


@pytest.mark.long
def test_the_server_does_not_show_erased_items(alone: Command, tmp_path: Path) -> None:
    file = tmp_path / "trace.csv"
    file.write_text(TRACE)
    alone("ingest", file)
    alone("up")
    for _ in range(2):
        assert PERSON in alone("lineage", "board").out
    before = running(alone.warehouse)
    assert before
    assert "nobody" in alone("forget", PERSON, "nobody", status=3).message
    alone("forget", "", status=2)
    assert running(alone.warehouse) == before, "nothing was erased"
    done = json.loads(alone("forget", PERSON).out)
    del done["seconds"]
    assert done == {
        "generation": 1, "names": 1, "items": 1, "triples": 2, "rejected": 1, "neo4j": True,
    }  # fmt: skip
    after = running(alone.warehouse)
    assert after
    assert after.pid != before.pid
    answer = json.loads(alone("lineage", "board").out)
    assert [row["item"] for row in answer["items"]] == ["report", "raw/2", "raw/1"]
    assert answer["erased"] == 1
    assert alone("lineage", PERSON, status=3)
    assert "1 erased item along the way" in alone("lineage", "board", "--format", "table").out
    assert json.loads(alone("status").out)["erased"] == 1
    alone("check", "--deep")
    alone("down")
    assert leftovers([alone.warehouse], [OP, "a clerk without other rows"], [PERSON]) == set()
    log = (alone.warehouse / "logs" / "writers.jsonl").read_text().splitlines()
    commands = [json.loads(line)["command"] for line in log]
    assert commands == ["ingest"] * 2 + ["forget"] * 4
    assert json.loads(log[3])["outcome"] == "NotFound"

"""A result that is written as Arrow streams is unchanged when it is read back."""

from typing import Any

import pyarrow as pa
import pytest

from provhouse.model.answer import Answer
from provhouse.output import arrow_writer as arrow_stream
from provhouse.output.arrow_writer import pieces, read
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Diff
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding
from provhouse.query.listing.generations import Generation

KINDS: dict[str, Any] = {
    "small": Answer,
    "counts": Answer,
    "empty": Answer,
    "erased": Answer,
    "way": Paths,
    "finding": Finding,
    "explanation": Explanation,
    "diff": Diff,
    "generations": list[Generation],
}


@pytest.mark.parametrize("name", sorted(KINDS))
def test_a_result_is_read_unchanged(name: str, request: pytest.FixtureRequest) -> None:
    result = request.getfixturevalue(name)
    found = read(KINDS[name], b"".join(pieces(result)))
    assert found == result


def test_a_large_table_is_sent_in_pieces(long: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrow_stream, "ROWS", 10)
    found = list(pieces(long))
    assert len(found) > long.items.num_rows // 10 + long.triples.num_rows // 10
    assert read(Answer, b"".join(found)) == long


def test_other_programs_read_the_tables(small: Answer) -> None:
    content = pa.BufferReader(b"".join(pieces(small)))
    for table in (small.items, small.triples):
        with pa.ipc.open_stream(content) as stream:
            assert stream.read_all().equals(table)

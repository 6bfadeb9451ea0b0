"""Row IDs are printed, hashed and parsed in the same way as by Python's own formatting."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.patterns import Pattern, usual_pattern
from provhouse.store.names.hashing import hashes
from provhouse.store.names.printed import parsed, printed, printed_hashes

IDS = st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-1001, 1001))
PATTERNS = st.builds(Pattern, st.text(max_size=40), st.text(max_size=4))


@given(IDS, PATTERNS, st.integers(0, 3))
def test_printed_names_hash_and_parse_as_text(ids: list[int], pattern: Pattern, seed: int) -> None:
    numbers = np.array(ids, np.int64)
    names = printed(pattern, numbers)
    names.validate(full=True)
    assert names.to_pylist() == [f"{pattern.before}{number}{pattern.after}" for number in ids]
    assert (printed_hashes(pattern, numbers, seed) == hashes(names, seed)).all()
    codes, found = parsed(names, [pattern])
    assert codes.tolist() == [0] * len(ids)
    assert found.tolist() == ids


NOT_PRINTED = (
    "t/", "t/-", "t/-0", "t/01", "t/+1", "t/1 ", "t/ 1", "t/1a", "t/\uff11", "T/1", "t1", "", "/1",
    "t/9223372036854775808", "t/-9223372036854775809", "t/18446744073709551617",
    "t/99999999999999999999", "s/t/1",
)  # fmt: skip


@pytest.mark.parametrize("name", NOT_PRINTED)
def test_other_texts_are_no_row_ids(name: str) -> None:
    codes, _ = parsed(pa.array([name]), [usual_pattern("t")])
    assert codes.tolist() == [-1]


def test_each_name_is_parsed_by_the_pattern_that_it_has() -> None:
    patterns = [usual_pattern("t"), Pattern("INV-"), Pattern("", "#p"), usual_pattern("t/u")]
    names = pa.array(["x", "INV-7", "t/u/3", "8#p", "t/-5", "t/u/x"])
    codes, ids = parsed(names.slice(1), patterns)
    assert codes.tolist() == [1, 3, 2, 0, -1]
    assert ids.tolist()[:4] == [7, 3, 8, -5]
    assert parsed(names.slice(0, 0), patterns)[0].tolist() == []

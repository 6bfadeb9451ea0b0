"""A name that ends with @ and digits is found as a version of the name before the @."""

import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from provhouse.store.names.hashing import hashes
from provhouse.store.names.versions import version_hashes

NAMES = st.lists(st.none() | st.text("a@1é/", max_size=8) | st.from_regex(r"\A.*@[0-9]+\Z"))


@given(NAMES, st.booleans())
def test_versions_are_hashed_without_their_version(names: list[str | None], large: bool) -> None:
    texts = pa.array(names, pa.large_string() if large else pa.string())
    rows, hashed = version_hashes(texts)
    found = [re.fullmatch("(.+)@[0-9]+", name or "", re.DOTALL) for name in names]
    assert rows.tolist() == [row for row, match in enumerate(found) if match]
    bases = pa.array([match[1] for match in found if match], pa.string())
    assert hashed.tolist() == hashes(bases).tolist()

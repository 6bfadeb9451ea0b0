"""Names in a rejected row are found whatever the row contains, even if it is malformed."""

import json

import pytest

from provhouse.commit.erasing.rejects import NameMatcher

NAME = 'persons/Zoë "47"'
DEEP = 100_000


@pytest.mark.long
@pytest.mark.parametrize(
    "odd",
    [
        "[" * DEEP,
        "[" * DEEP + json.dumps(NAME) + "]" * DEEP,
        '{"a":' * DEEP + json.dumps(NAME, ensure_ascii=False) + "}" * DEEP,
        "[" * 900 + json.dumps(NAME) + "]" * 900,
        json.dumps([NAME, 0], ensure_ascii=False).replace("0", "1" * 5000),
        "[" * DEEP + json.dumps(json.dumps({"a": [NAME]})) + "]" * DEEP,
        '["' + "\\" * DEEP,
        '["' + '\\"' * DEEP,
        "[" + '\\"' * DEEP,
    ],
    ids=range(9),
)
def test_a_row_that_is_not_valid_json_is_searched(odd: str) -> None:
    named = NameMatcher([NAME, "c", "nobody"])
    content = json.dumps({"src": "a", "dst": "", "op": "x", "note": odd}, ensure_ascii=False)
    assert named(content) == ({NAME} if "persons" in odd else set())
    assert named(json.dumps({"src": NAME, "note": odd})) == {NAME}


def test_src_and_dst_may_lack_the_scope() -> None:
    named = NameMatcher(["scope/a", "scope/b", "op", "src"])
    assert named(json.dumps({"src": "a", "dst": "", "op": "b"})) == {"scope/a"}
    assert named("") == set()

"""Names are shown on a terminal, but cannot control it."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.output.escape import in_json, shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "plain"),
        ("C:\\data [x]", "C:\\data [x]"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x1b\x7f\x9b", "\\x1b\\x7f\\x9b"),
        ("\u202e\u2066\u200b\ufeff", "\\u202e\\u2066\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("naïve 東京 🜚 ज\u200dञ", "naïve 東京 🜚 ज\u200dञ"),
        ("x" * 500, "x" * 200 + "…" + "x" * 200),
    ],
)
def test_text_for_reading_has_no_controls(name: str, text: str) -> None:
    assert shown(name) == text


@given(st.text())
def test_no_shown_text_moves_the_cursor(name: str) -> None:
    assert not any(unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} for c in shown(name))


@given(st.dictionaries(st.text(), st.text()))
def test_escaped_json_has_the_same_values(value: dict[str, str]) -> None:
    assert json.loads(in_json(json.dumps(value, ensure_ascii=False))) == value

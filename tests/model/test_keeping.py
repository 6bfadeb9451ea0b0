"""Ages of generations to keep are accepted in the usual notation, and all else is refused."""

from datetime import UTC, datetime, timedelta

import pytest

from provhouse.model.errors import UsageError
from provhouse.model.keeping import Keep, keeping
from provhouse.model.settings import Settings

NOW = datetime(2028, 3, 31, 12, 30, tzinfo=UTC)
YEAR = datetime(2027, 3, 31, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("3", Keep(3)),
        ("30d", Keep(since=NOW - timedelta(30))),
        ("2w", Keep(since=NOW - timedelta(14))),
        ("1m", Keep(since=datetime(2028, 2, 29, 12, 30, tzinfo=UTC))),
        ("13m", Keep(since=datetime(2027, 2, 28, 12, 30, tzinfo=UTC))),
        ("1y", Keep(since=YEAR)),
        ("0d", Keep(since=NOW)),
        ("30d,12m", Keep(since=NOW - timedelta(30), versions_since=YEAR)),
        (" 5 , 1y ", Keep(5, versions_since=YEAR)),
        ("9999y", Keep(since=datetime.min.replace(tzinfo=UTC))),
        ("99999d", Keep(since=NOW - timedelta(99999))),
    ],
)
def test_what_is_kept_is_read(text: str, kept: Keep) -> None:
    assert keeping(text, NOW) == kept


@pytest.mark.parametrize(
    "text",
    ["", "0", "-1", "d", "30h", "30D", "30 d", "30d,", ",12m", "30d,12", "30d,12m,1y", "1.5d", "٣d",
     "٣", "3,4", "999999d"],
)  # fmt: skip
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="It is not clear what to keep"):
        keeping(text, NOW)


def test_the_setting_is_checked_before_anything_is_ingested() -> None:
    assert Settings.load({"keep": "30d,12m"}, {}).keep == "30d,12m"
    assert Settings.load({"keep": ""}, {}).keep == ""
    with pytest.raises(UsageError, match="It is not clear what to keep"):
        Settings.load({}, {"PROVHOUSE_KEEP": "30 days"})

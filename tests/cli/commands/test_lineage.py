"""The names of many items are read from a file or standard input, one on each line."""

import io
from pathlib import Path
from typing import cast

import pytest

from provhouse.cli.commands import lineage
from provhouse.cli.questions import AbsentItems, _replies
from provhouse.model.answer import Answer
from provhouse.model.errors import BadInput, NotFound
from provhouse.model.question import Question
from provhouse.output.results.answers import Absent


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"", []),
        (b"a\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\r\n\r\n\n b \r\n", ["a", " b "]),
        ("é\x0b\u2028x\n".encode(), ["é\x0b\u2028x"]),
        (b"a\na\n", ["a", "a"]),
    ],
)
def test_names_are_read_one_on_each_line(content: bytes, names: list[str], tmp_path: Path) -> None:
    file = tmp_path / "names"
    file.write_bytes(content)
    assert lineage._names(file) == names


def test_names_are_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\n")))
    assert lineage._names(Path("-")) == ["a", "b"]


def test_an_unreadable_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        lineage._names(tmp_path)


def test_each_reply_is_computed_on_demand() -> None:
    small = cast(Answer, object())
    asked = []

    def one(question: Question) -> Answer:
        asked.append(question.item)
        if question.item == "no":
            raise NotFound("no")
        return small

    absent = AbsentItems()
    questions = [Question(item, "upstream") for item in ("yes", "no", "yes")]
    replies = _replies(one, questions, absent, lambda: None)
    assert next(replies) is small
    assert asked == ["yes"]
    assert list(replies) == [Absent("no"), small]
    assert absent == AbsentItems(1, "no")

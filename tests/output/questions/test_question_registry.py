"""The answer and view classes that questions name by string can be imported."""

from typing import Any

import pytest

from provhouse.output.questions.asking import Asking, _loaded
from provhouse.output.questions.question_registry import QUESTIONS


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_answer_and_the_view_of_a_question_exist(question: type[Asking[Any]]) -> None:
    assert isinstance(_loaded(question.found), type)
    assert not question.result or isinstance(_loaded(f"output.results.{question.result}"), type)

"""Public results have every field of the results that questions find."""

from dataclasses import fields

import pytest

from provhouse import results
from provhouse.model.answer import Answer
from provhouse.query.diff import Diff
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding
from provhouse.query.path import Paths


@pytest.mark.parametrize("found", [Answer, Diff, Explanation, Finding, Paths])
def test_a_public_result_has_all_fields(found: type) -> None:
    public = {field.name for field in fields(getattr(results, found.__name__))}
    assert public - {"_found"} == {field.name for field in fields(found)}

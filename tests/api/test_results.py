"""Public results have every field of the results that questions find."""

from dataclasses import fields

import pytest

import provhouse
from provhouse.model.answer import Answer
from provhouse.query.depends import Dependency
from provhouse.query.diff import Diff
from provhouse.query.evaluate import Evaluation
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding
from provhouse.query.path import Paths
from provhouse.query.what_if import WhatIf
from provhouse.query.why import Why
from provhouse.query.why_changed import WhyChanged


@pytest.mark.parametrize(
    "found",
    [Answer, Dependency, Diff, Evaluation, Explanation, Finding, Paths, WhatIf, Why, WhyChanged],
)
def test_a_public_result_has_all_fields(found: type) -> None:
    public = {field.name for field in fields(getattr(provhouse, found.__name__))}
    assert public - {"_found"} == {field.name for field in fields(found)}

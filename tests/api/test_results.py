"""Each public result class has every field of the internal result that it represents."""

from dataclasses import fields

import pytest

import provhouse
from provhouse.model.answer import Answer
from provhouse.query.consequences.depends import Dependency
from provhouse.query.consequences.evaluation import Evaluation
from provhouse.query.consequences.what_if import WhatIf
from provhouse.query.consequences.why import Why
from provhouse.query.consequences.why_changed import WhyChanged
from provhouse.query.lineage.cost_estimates import Explanation
from provhouse.query.lineage.diff import Diff
from provhouse.query.lineage.path import Paths
from provhouse.query.listing.find import Finding


@pytest.mark.parametrize(
    "found",
    [Answer, Dependency, Diff, Evaluation, Explanation, Finding, Paths, WhatIf, Why, WhyChanged],
)
def test_a_public_result_has_all_fields(found: type) -> None:
    public = {field.name for field in fields(getattr(provhouse, found.__name__))}
    assert {name for name in public if name[0] != "_"} == {field.name for field in fields(found)}

"""The history of edits by which reuse is judged: the shares of its kinds, and stated changes."""

from collections import Counter

import pytest

from helpers.edit_history import STEPS, Runs, history
from helpers.users_project import RAW, cases


@pytest.mark.parametrize("steps", [24, pytest.param(STEPS, marks=pytest.mark.long)])
def test_the_history_has_the_kinds_of_real_edits(steps: int) -> None:
    made = list(history(steps=steps))
    kinds = Counter(step.kind for step in made)
    changing = steps - kinds["text"]
    shares = [kinds["text"] / steps, *(kinds[k] / changing for k in ("select list", "filter"))]
    assert shares == pytest.approx([0.25, 0.57, 0.16], abs=1 / changing)
    assert all(step.modified() for step in made)
    assert not any(step.changed for step in made if step.kind == "text")
    assert all(step.changed <= step.modified_and_descendants() for step in made)
    kept = sum(len(step.modified_and_descendants() - step.changed) for step in made)
    assert kept > steps, "edits leave most results as they are"
    assert [step.before for step in made[1:]] == [step.after for step in made[:-1]]


@pytest.mark.long
def test_the_history_is_the_same_in_each_run() -> None:
    one, other = (list(history(seed=7, steps=5)) for _ in range(2))
    assert one == other


def test_the_models_that_four_edits_change_are_those_that_execution_finds() -> None:
    runs = Runs(RAW)
    for name, step in cases().items():
        names = frozenset(model.name for model in step.before)
        before, after = runs.run(step.before, names), runs.run(step.after, names)
        assert {each for each in names if before[each] != after[each]} == step.changed, name

"""A history of executed edits: no changed model is kept, and most unchanged readers are kept."""

from pathlib import Path

import pytest

from helpers.dbt_history import sqlmesh_builds, write_step
from helpers.edit_history import STEPS, Step, history
from helpers.users_project import cases
from provhouse.workflows.dbt.reuse_plan import ReusePlan, reuse_plan


def names(nodes: tuple[str, ...]) -> set[str]:
    """Return the names of nodes."""
    return {node.split(".")[2] for node in nodes}


def planned(folder: Path, step: Step) -> ReusePlan:
    """Return the plan for an edit."""
    base, target = write_step(folder, step)
    return reuse_plan(target, base)


@pytest.mark.parametrize("steps", [6, pytest.param(STEPS, marks=pytest.mark.long)])
def test_no_changed_model_is_kept_and_half_of_the_readers_are(steps: int, tmp_path: Path) -> None:
    ours = usual = mesh = 0
    for number, step in enumerate(history(steps=steps)):
        plan = planned(tmp_path, step)
        built, modified = names(plan.build), step.modified()
        assert step.changed <= built, (number, step.kind, step.edited)
        assert names(plan.modified) == step.modified_and_descendants()
        ours += len(built - modified)
        usual += len(names(plan.modified) - modified)
        mesh += len(sqlmesh_builds(step) - modified)
    assert ours <= usual / 2
    assert ours <= mesh


@pytest.mark.parametrize("name", cases())
def test_four_edits_build_the_readers_that_execution_changes(name: str, tmp_path: Path) -> None:
    step = cases()[name]
    assert names(planned(tmp_path, step).build) == step.changed

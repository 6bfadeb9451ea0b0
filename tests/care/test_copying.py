"""A copy refuses a target that is not empty."""

from pathlib import Path

import pytest

from provhouse.care.copying import copy
from provhouse.model.errors import UsageError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings


@pytest.mark.parametrize("kind", ["a file", "a folder with a file"])
def test_a_target_with_something_is_refused(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "target"
    if kind == "a file":
        target.write_text("")
    else:
        target.mkdir()
        (target / "x").write_text("")
    with pytest.raises(UsageError, match="Cannot copy a warehouse to"):
        copy(tmp_path / "house", target, Settings(warehouse=target), Silent())

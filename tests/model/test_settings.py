"""Settings come from file, environment and option, the later one winning."""

from pathlib import Path

import pytest

from provhouse.model.errors import UsageError
from provhouse.model.settings import Settings


def test_the_later_source_wins(tmp_path: Path) -> None:
    (tmp_path / "warehouse.toml").write_text("theta = 10\npack = 20\n", encoding="utf-8")
    env = {"PROVHOUSE_WAREHOUSE": str(tmp_path), "PROVHOUSE_PACK": "30", "PROVHOUSE_THETA": "40"}
    settings = Settings.load({"theta": 50, "master": None}, env)
    assert (settings.theta, settings.pack, settings.warehouse) == (50, 30, tmp_path)
    assert settings.master == Settings().master
    assert settings.graph_home == tmp_path / "neo4j"
    assert Settings.load({}, {**env, "PROVHOUSE_PACK": ""}).pack == 20  # empty is not given


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("theta = 1", "at least 2"),
        ("theta = 'x'", "whole number"),
        ("partition_triples = 0", "at least 1"),
        ("pack = -1", "at least 0"),
        ("teta = 3", "one of the names"),
        ("theta =", "readable TOML"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_place(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "warehouse.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=told) as caught:
        Settings.load({"warehouse": tmp_path}, {})
    assert str(file) in str(caught.value)

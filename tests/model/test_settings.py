"""Options override environment variables, which override the settings file."""

from pathlib import Path

import pytest

from provhouse.model.errors import UsageError
from provhouse.model.settings import OTHER_VARIABLES, Settings


def test_options_override_the_environment_which_overrides_the_file(tmp_path: Path) -> None:
    (tmp_path / "warehouse.toml").write_text("theta = 10\npack = 20\n", encoding="utf-8")
    env = {"PROVHOUSE_WAREHOUSE": str(tmp_path), "PROVHOUSE_PACK": "30", "PROVHOUSE_THETA": "40"}
    settings = Settings.load({"theta": 50, "master": None}, env)
    assert (settings.theta, settings.pack, settings.warehouse) == (50, 30, tmp_path)
    assert settings.master == Settings().master
    assert settings.graph_home == tmp_path / "neo4j"
    assert Settings.load({}, {**env, "PROVHOUSE_PACK": ""}).pack == 20  # an empty value is ignored


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("theta = 1", "at least 2"),
        ("theta = 'x'", "whole number"),
        ("partition_triples = 0", "at least 1"),
        ("pack = -1", "at least 0"),
        ("teta = 3", "no setting 'teta'"),
        ("theta =", "as TOML"),
    ],
)
def test_an_invalid_setting_is_refused_with_its_file(
    tmp_path: Path, content: str, message: str
) -> None:
    file = tmp_path / "warehouse.toml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=message) as caught:
        Settings.load({"warehouse": tmp_path}, {})
    assert str(file) in str(caught.value)


def test_a_relative_path_in_the_file_counts_from_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    warehouse.mkdir()
    elsewhere.mkdir()
    (warehouse / "warehouse.toml").write_text('neo4j_home = "../shared"\n')
    monkeypatch.chdir(elsewhere)
    for given in (str(warehouse), "../w"):
        home = Settings.load({"warehouse": given}, {}).graph_home
        assert home.resolve() == tmp_path / "shared"
    env = {"PROVHOUSE_NEO4J_HOME": "n"}
    assert Settings.load({"warehouse": warehouse}, env).graph_home == elsewhere / "n"


def test_an_unknown_environment_variable_is_refused() -> None:
    with pytest.raises(UsageError, match="PROVHOUSE_TETA") as caught:
        Settings.load({}, {"PROVHOUSE_TETA": "5", "HOME": "/"})
    assert "theta" in caught.value.found
    Settings.load({}, dict.fromkeys(OTHER_VARIABLES, "x"))


@pytest.mark.parametrize("address", ["s3a://bucket/w", "hdfs://host:1/w", "file:///w"])
def test_an_address_is_no_warehouse(address: str) -> None:
    with pytest.raises(UsageError, match="only local files") as raised:
        Settings.load({"warehouse": address}, {})
    assert ("works with the command only" in raised.value.remedy) == (address[:4] != "file")

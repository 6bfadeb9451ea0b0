"""Settings keep their names in the file and environment, and their types, limits and defaults."""

from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from helpers.structure import dumped
from provhouse.model.errors import UsageError
from provhouse.model.settings import Settings

VALUES = {
    "int": ("17", 17),
    "str": ("x", "x"),
    "path": ("/x", Path("/x")),
    "ages": ("30d,12m", "30d,12m"),
}
"""By kind of setting: a string that this kind accepts, and the value that results."""
_OTHERS = {"17": ("18", "19"), "30d,12m": ("1y", "5")}
"""By string that would be invalid with a suffix: two other strings that the setting accepts."""
FOLDER = "warehouse"
"""The only setting that cannot be in the settings file: it determines where that file is."""


def kind(name: str) -> str:
    """Return the kind of a setting: try a string of each kind, and see which is accepted."""
    for known, (text, value) in VALUES.items():
        try:
            if getattr(Settings.load({}, {variable(name): text}), name) == value:
                return known
        except UsageError:
            continue
    raise AssertionError(name)


def variable(name: str) -> str:
    """Return the name of the environment variable of a setting."""
    return f"PROVHOUSE_{name.upper()}"


def least(name: str) -> int:
    """Return the smallest number that a setting accepts."""
    for number in range(-1, 10):
        try:
            Settings.load({}, {variable(name): str(number)})
        except UsageError:
            continue
        return number
    raise AssertionError(name)


def test_settings_have_the_same_names_limits_and_defaults(
    golden: Callable[[str, str], None],
) -> None:
    found = {}
    for field in fields(Settings):
        default = getattr(Settings(), field.name)
        found[field.name] = {
            "environment": variable(field.name),
            "kind": kind(field.name),
            "default": default if isinstance(default, int | None) else str(default),
            **({"least": least(field.name)} if kind(field.name) == "int" else {}),
        }
    golden("settings.json", dumped(found))


@pytest.mark.parametrize("name", [field.name for field in fields(Settings) if field.name != FOLDER])
def test_the_environment_overrides_the_file_and_options_override_both(
    name: str, tmp_path: Path
) -> None:
    text, value = VALUES[kind(name)]
    (tmp_path / "warehouse.toml").write_text(f"{name} = {17 if text == '17' else repr(text)}\n")
    other, third = _OTHERS.get(text, (f"{text}y", f"{text}z"))
    given: dict[str, object] = {FOLDER: tmp_path}
    file = Settings.load(given, {})
    assert {k for k, v in asdict(file).items() if v != asdict(Settings())[k]} == {FOLDER, name}
    assert getattr(file, name) == value
    environment = {variable(name): other}
    assert str(getattr(Settings.load(given, environment), name)) == other
    assert str(getattr(Settings.load({**given, name: third}, environment), name)) == third


def test_a_file_with_an_unknown_setting_is_refused(tmp_path: Path) -> None:
    (tmp_path / "warehouse.toml").write_text("none_of_them = 1\n")
    with pytest.raises(UsageError):
        Settings.load({FOLDER: tmp_path}, {})

"""The help lists commands by group. Former command names still work but are not listed."""

import shlex
from typing import cast

import pytest
import typer
from typer.core import TyperGroup
from typer.main import get_command

from provhouse.cli.app import app, run
from provhouse.cli.command_groups import GROUPS, GUIDE, OLD_NAMES, grouped

GROUP = cast(TyperGroup, get_command(app))
LISTED = [name for lines in GROUPS.values() for name in lines]


def helped(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Return the lines of a command's help."""
    assert run([*arguments, "--help"]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_help_lists_each_command_once_below_its_group(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = helped(capsys)
    for group, commands in GROUPS.items():
        at = lines.index(f"{group}:") + 1
        words = [line.split()[0] for line in lines[at : at + len(commands)]]
        assert words == [*commands]
    assert len(LISTED) == len(set(LISTED)) <= 32


def test_commands_outside_of_groups_are_hidden_and_have_a_new_name() -> None:
    hidden = {name for name, command in GROUP.commands.items() if command.hidden}
    assert hidden == GROUP.commands.keys() - set(LISTED)
    assert {old.split()[0] for old in OLD_NAMES} == hidden
    for new in OLD_NAMES.values():
        assert new.split()[0] in LISTED


def test_a_new_question_is_listed_without_an_entry() -> None:
    new = typer.main.get_command(typer.Typer(callback=lambda: None))
    new.help = "Show the newest items. They are sorted."
    found = grouped({**GROUP.commands, "newest": new})
    assert found.pop("Ask") == {**GROUPS["Ask"], "newest": "Show the newest items."}
    assert found == {group: lines for group, lines in GROUPS.items() if group != "Ask"}


@pytest.mark.long
def test_each_help_fits_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("", *GROUP.commands):
        for line in helped(capsys, *name.split()):
            assert len(line) <= 80, line
    assert all(len(line) <= 60 for lines in GROUPS.values() for line in lines.values())
    assert not [line for line in helped(capsys)[1:] if line.endswith("...")]


def test_provhouse_alone_guides_in_five_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", GUIDE)
    assert len(GUIDE.splitlines()) == 5
    assert all(len(line) <= 80 for line in GUIDE.splitlines())
    for line in GUIDE.splitlines()[1:]:
        assert line.split()[1] in {*LISTED, "--help"}


@pytest.mark.parametrize("old", OLD_NAMES)
def test_an_earlier_name_and_its_new_name_are_commands(old: str) -> None:
    values = {"OF": "op", "N": "3", "S": "count", "FILE": __file__, "REVISION": "w@r1"}
    for text in (old, OLD_NAMES[old]):
        words = [values.get(word, word) for word in shlex.split(text)]
        with GROUP.make_context("provhouse", words) as root:
            name, command, rest = GROUP.resolve_command(root, [*root._protected_args, *root.args])
            assert command
            with command.make_context(name, rest, parent=root) as context:
                if isinstance(command, TyperGroup):
                    kind, below, rest = command.resolve_command(
                        context, [*context._protected_args, *context.args]
                    )
                    assert below
                    below.make_context(kind, rest, parent=context)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["lineage", "a", "--both", "--depth", "3"], "--both and --depth are given together"),
        (["lineage", "a", "--both", "--table", "t"], "--both and --table are given together"),
        (["lineage", "a", "--both", "--origins"], "--both and --origins are given together"),
        (["lineage", "a", "--origins", "--sources"], "--origins and --sources are given"),
        (["impact", "a", "--estimate", "--sinks"], "--estimate and --sinks are given"),
        (["lineage", "--both"], "No item is named"),
        (["why", "a", "--on", "b", "--from", "1"], "--on and --from are given together"),
        (["why", "a", "--from", "1", "--as-of", "2"], "--from and --as-of are given together"),
        (["why", "a", "--to", "1"], "--to is given without --from"),
        (["why", "a", "--aggregates", "all"], "--aggregates is given without --semiring"),
        (["check", "--deep", "--repair"], "--deep and --repair are given together"),
        (["reuse", "w@r1", "--why", "--columns", "a"], "--columns and --why are given"),
        (["reuse", "w@r1", "--why", "--format", "github"], "The format github is for --dbt"),
        (["run-spark"], "It is not clear what to run"),
        (["run-spark", "--print-conf", "job.py"], "It is not clear what to run"),
        (["tidy"], "It is not clear what to tidy"),
        (["tidy", "--keep", "0"], "It is not clear what to keep"),
        (["tidy", "--keep", "30d,"], "It is not clear what to keep"),
    ],
)
def test_options_of_different_questions_are_refused_together(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith(f"provhouse: {problem}")

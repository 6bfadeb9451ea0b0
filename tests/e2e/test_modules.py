"""Modules, what-if questions and views on the command line, with their exit statuses."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from helpers.command import Command
from helpers.warm import Warm

TRACE = """\
src,dst,op,src_table,dst_table,module,invocation,execution,role,op_kind,derivation,value,by
raw/1,clean/1,strip,raw,clean,curate,1,monday,,all,1,,shop
raw/2,clean/2,strip,raw,clean,curate,1,monday,,all,1,,shop
ref/1,clean/1,look up,ref,clean,curate,1,monday,state,all,1,,
clean/1,total/1,total,clean,total,report,1,monday,output,aggregate,1,5,
clean/2,total/1,total,clean,total,report,1,monday,output,aggregate,1,7,
"""
MODULES = '[[modules]]\nmodule = "report"\nops = ["total"]\ninputs = ["clean"]\n'
ZOOM = ("--zoom", "module")


@pytest.fixture(scope="module")
def nightly(tmp_path_factory: pytest.TempPathFactory, graph_home: Path, warm: Warm) -> Command:
    """A warehouse with one run. Its ops are described, and one of its modules is declared."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "trace.csv").write_text(TRACE)
    (folder / "ops.csv").write_text("op,kind,function\ntotal,aggregate,sum\n")
    (folder / "modules.toml").write_text(MODULES)
    command = Command(folder / "warehouse", graph_home, by=warm)
    command("ingest", folder / "trace.csv", "--run", "nightly")
    command("ops", "set", folder / "ops.csv")
    command("modules", "set", folder / "modules.toml")
    return command


def answered(command: Command, schema: str, *arguments: object) -> Any:
    """Return the JSON that a command writes; fail if it does not match the schema."""
    found = json.loads(command(*arguments, "--format", "json").out)
    text = (files("provhouse.output") / "schemas" / f"{schema}.json").read_text()
    jsonschema.validate(found, json.loads(text))
    return found


@pytest.mark.long
def test_ops_and_modules_are_set_and_listed(nightly: Command) -> None:
    ops = answered(nightly, "ops", "ops", "list")
    assert [(row["op"], row["function"], row["born"]) for row in ops] == [("total", "sum", 2)]
    assert answered(nightly, "ops", "ops") == ops
    (module,) = answered(nightly, "modules", "modules", "list")
    assert (module["module"], module["inputs"], module["born"]) == ("report", ["clean"], 3)
    assert answered(nightly, "modules", "modules", "--as-of", 2) == []
    calls = answered(nightly, "invocations", "invocations", "curate", "--run", "nightly")
    assert [(row["execution"], row["triples"]) for row in calls] == [("monday", 3)]
    again = json.loads(nightly("ops", "set", nightly.warehouse.parent / "ops.csv").out)
    assert again["operations"] == 0
    assert json.loads(nightly("status").out)["generation"] == 3


@pytest.mark.long
def test_a_deletion_has_a_fate_for_each_item(nightly: Command) -> None:
    file = nightly.warehouse.parent / "trace.csv"
    for option, dies in (
        (("--delete", "raw/1"), {"clean/1"}),
        (("--delete-table", "raw", "--where", "by=shop"), {"clean/1", "clean/2", "total/1"}),
        (("--delete-op", "look up"), {"clean/1"}),
        (("--delete-file", file), {"clean/1", "clean/2", "total/1"}),
        (("--delete-run", "nightly", "--as-of", 1), {"clean/1", "clean/2", "total/1"}),
    ):
        found = answered(nightly, "what-if", "what-if", *option)
        assert {row["item"] for row in found["items"] if row["fate"] == "dies"} == dies, option
        assert found["dies"] == len(dies) == sum(row["dies"] for row in found["tables"])
    found = answered(nightly, "what-if", "what-if", "--delete", "raw/1")
    (changed,) = found["changed"]
    assert (changed["item"], changed["before"], changed["after"]) == ("total/1", 12, 7)
    view = answered(nightly, "zoom-what-if", "what-if", "--delete", "raw/1", *ZOOM)
    assert {row["name"]: row["deleted"] for row in view["nodes"]}["raw"] == 1
    shown = nightly("forget", "raw/1", "--dry-run", "--format", "table").out
    assert "1 would not exist" in shown
    assert "total/1" in shown


@pytest.mark.long
def test_an_item_depends_on_others(nightly: Command) -> None:
    found = answered(nightly, "depends", "depends", "clean/1", "--on", "ref/1")
    assert (found["exists"], len(found["smallest"])) == ("no", 1)
    found = answered(nightly, "depends", "depends", "total/1", "--on", "raw/1")
    assert (found["exists"], len(found["smallest"])) == ("yes", 2)


@pytest.mark.parametrize(
    "level",
    [
        "catalogue",
        # tests/output/test_zoom_page.py and tests/contracts/test_forms.py test the other levels
        *(pytest.param(each, marks=pytest.mark.long) for each in ("module", "table", "set")),
        pytest.param("record", marks=pytest.mark.long),
    ],
)
def test_answers_have_all_levels(nightly: Command, level: str) -> None:
    # no declaration names ``curate``
    fold = () if level == "catalogue" else ("--fold", "curate")
    for schema, arguments in (
        ("zoom", ("lineage", "total/1")),
        ("zoom", ("impact", "raw/1")),
        ("zoom-path", ("path", "raw/1", "total/1", "--all")),
        ("zoom-diff", ("diff", "total/1", "--from", 1)),
    ):
        found = answered(nightly, schema, *arguments, "--zoom", level, *fold)
        assert found["zoom"] == level
        assert found["folded"] == [*fold[1:]]


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        "what-if --delete nothing",
        "forget nothing --dry-run",
        "lineage total/1 --fold nothing",
        *(
            pytest.param(each, marks=pytest.mark.long)
            for each in (
                *(f"what-if --delete-{each} nothing" for each in ("op", "file", "run")),
                "depends total/1 --on nothing",
                "why nothing",
                "why-changed nothing --from 1",
                "evaluate nothing --semiring count",
                "invocations nothing",
                "path raw/1 total/1 --fold nothing",
                "diff total/1 --from 1 --fold nothing",
                "what-if --delete raw/1 --fold nothing",
            )
        ),
    ],
)
def test_what_is_not_stored_is_not_found(nightly: Command, arguments: str) -> None:
    assert "nothing" in nightly(*arguments.split(), status=3).message


@pytest.mark.long
def test_wrong_files_and_options_are_refused(nightly: Command, tmp_path: Path) -> None:
    twice = '[{"module": "a", "ops": ["x"]}, {"module": "b", "ops": ["x"]}]'
    for name, text, command in (
        ("twice.json", twice, "modules"),
        ("stored.json", '[{"module": "other", "ops": ["total"]}]', "modules"),
        ("ops.csv", "op,kind\ntotal,most\n", "ops"),
    ):
        (tmp_path / name).write_text(text)
        nightly(command, "set", tmp_path / name, status=4)
    for wrong in ("ops set", "ops list x.csv", "modules set x --as-of 1", "modules --wait 3",
                  "what-if --delete-table nothing", "what-if"):  # fmt: skip
        nightly(*wrong.split(), status=2)

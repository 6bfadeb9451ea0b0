"""Pictures of every kind of answer, by commands, over HTTP and in Python.

The boxes and lines of each picture are compared with the JSON of the same question.
"""

import json
import re
import shlex
import xml.etree.ElementTree as ET
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import provhouse
from helpers.command import Command
from helpers.sampled import one_in
from helpers.warm import Warm
from provhouse.model.errors import UsageError
from provhouse.output.questions.question_registry import QUESTIONS
from provhouse.output.results.graphs import PicturedResult

HEAD = "src,dst,op,src_table,dst_table,module,invocation,execution,role,op_kind,derivation,value\n"
FIRST = """\
raw/1,clean/1,strip,raw,clean,curate,1,monday,,all,1,
raw/2,clean/2,strip,raw,clean,curate,1,monday,,all,1,
ref/1,clean/1,look up,ref,clean,curate,1,monday,state,all,1,
clean/1,total/1,total,clean,total,report,1,monday,output,aggregate,1,5
clean/2,total/1,total,clean,total,report,1,monday,output,aggregate,1,7
"""
SECOND = """\
raw/3,clean/3,strip,raw,clean,curate,2,tuesday,,all,1,
clean/3,total/1,total,clean,total,report,1,monday,output,aggregate,1,2.5
"""
ASKED: dict[str, tuple[str, ...]] = {
    "lineage": ("lineage", "total/1"),
    "impact": ("impact", "raw/1"),
    "path": ("path", "raw/1", "total/1"),
    "all paths": ("path", "raw/1", "total/1", "--all"),
    "subgraph": ("subgraph", "clean/2"),
    "diff": ("diff", "total/1", "--from", "1"),
    "what-if": ("what-if", "--delete", "raw/1"),
    **{f"lineage at {level}": ("lineage", "total/1", "--zoom", level)
       for level in ("catalogue", "module", "table", "set", "record")},
    "folded": ("lineage", "total/1", "--fold", "report"),
    "path at table": ("path", "raw/1", "total/1", "--zoom", "table"),
    "diff at table": ("diff", "total/1", "--from", "1", "--zoom", "table"),
    "what-if at module": ("what-if", "--delete", "raw/1", "--zoom", "module"),
}  # fmt: skip


@pytest.fixture(scope="module")
def nightly(tmp_path_factory: pytest.TempPathFactory, graph_home: Path, warm: Warm) -> Command:
    """A warehouse with two generations, modules and values."""
    folder = tmp_path_factory.mktemp("pictures")
    (folder / "ops.csv").write_text("op,kind,function\ntotal,aggregate,sum\n")
    command = Command(folder / "warehouse", graph_home, by=warm)
    for name, rows in (("first.csv", FIRST), ("second.csv", SECOND)):
        (folder / name).write_text(HEAD + rows)
        command("ingest", folder / name, "--run", name)
    command("ops", "set", folder / "ops.csv")
    return command


def lines_of(found: dict[str, Any]) -> Counter[str]:
    """Return the ops of the lines that the picture of a JSON answer must have, with counts."""
    if "edges" in found:
        return Counter(row["op"] for row in found["edges"])
    parts = [found] if "triples" in found else [found["came"], found["went"]]
    return Counter(row["op"] for part in parts for row in part["triples"])


def names_of(found: dict[str, Any]) -> set[str]:
    """Return the names of the boxes that the picture of a JSON answer must have."""
    if "nodes" in found:
        call = ("name", "run", "execution", "invocation")
        return {" ".join(row[part] for part in call if row[part]) for row in found["nodes"]}
    parts = [found] if "triples" in found else [found["came"], found["went"]]
    ends = {row[end] for part in parts for row in part["triples"] for end in ("src", "dst")}
    return ends | {row["item"] for part in parts for row in part["items"]}


@pytest.mark.long
@pytest.mark.parametrize("name", one_in(len(ASKED), ASKED))
def test_a_picture_shows_what_the_answer_has(nightly: Command, name: str) -> None:
    arguments = ASKED[name]
    level = ("--zoom", "record") if name == "what-if" else ()
    found = json.loads(nightly(*arguments, *level, "--format", "json").out)
    boxes, links = drawn_in(nightly(*arguments, "--format", "dot").out)
    assert links == lines_of(found)
    assert len(boxes) == len(names_of(found))
    svg = ET.fromstring(nightly(*arguments, "--format", "svg").out)
    about = svg.findtext("{http://www.w3.org/2000/svg}desc") or ""
    asked = about.partition(".")[0] if about.startswith("Asked") else ""
    expected = {
        "path": {"raw/1", "total/1"}, "all paths": {"raw/1", "total/1"},
        "path at table": {"raw/1", "total/1"}, "subgraph": {"clean/2"},
        "lineage at catalogue": {"total"}, "what-if at module": {"raw"},
    }  # fmt: skip
    default = {"raw/1"} if "raw/1" in arguments else {"total/1"}
    assert {*asked.removeprefix("Asked: ").split(", ")} == expected.get(name, default)


def drawn_in(dot: str) -> tuple[list[str], Counter[str]]:
    """Return the labels of boxes, and the ops of lines, of a DOT file."""
    boxes = re.findall(r'^  n\d+ \[label="(.*?)"', dot, re.M)
    labels = re.findall(r'^  n\d+ -> n\d+ \[label="(.*?)"', dot, re.M)
    numbers = re.compile(" [\N{MULTIPLICATION SIGN}+\N{MINUS SIGN}].*")
    return boxes, Counter(numbers.sub("", label) for label in labels)


@pytest.mark.long
def test_a_deletion_shows_fates_and_values(nightly: Command) -> None:
    text = nightly("what-if", "--delete", "raw/1", "--format", "svg").out
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", text)
    assert {"raw/1", "deleted", "dies", "12 → 7"} <= {*texts}


@pytest.mark.long
@pytest.mark.parametrize(
    ("ending", "begin"),
    one_in(5, [(".svg", "<svg"), (".dot", "digraph"), (".gv", "digraph"), (".mmd", "flowchart LR"),
               (".html", "<!doctype html>")]),
)  # fmt: skip
def test_the_ending_of_a_file_names_the_format(
    nightly: Command, ending: str, begin: str, tmp_path: Path
) -> None:
    nightly("lineage", "total/1", "--out", tmp_path / f"x{ending}")
    assert (tmp_path / f"x{ending}").read_text().startswith(begin)


@pytest.mark.long
def test_what_has_no_picture_is_refused_before_any_work(nightly: Command, tmp_path: Path) -> None:
    out, names = tmp_path / "x.svg", tmp_path / "names"
    names.write_text("total/1\n")
    for arguments in (
        ("find", "t", "--out", out), ("origins", "total/1", "--out", out),
        ("lineage", "--items", names, "--out", out), ("what-if", "--each", "total/1", "--out", out),
        ("lineage", "total/1", "--records", "--out", out),
    ):  # fmt: skip
        assert "cannot be drawn as svg" in nightly(*arguments, status=2).message
    assert (
        "A summary has no picture"
        in nightly("lineage", "total/1", "--summary", "--out", out, status=2).message
    )
    assert (
        "A picture and --summary"
        in nightly("what-if", "--delete", "raw/1", "--summary", "--out", out, status=2).message
    )
    assert not out.exists()


@pytest.mark.long
def test_a_page_is_html_or_an_error(nightly: Command, tmp_path: Path) -> None:
    page = tmp_path / "x.svg"
    done = nightly("lineage", "total/1", "--zoom", "module", "--page", page, status=2)
    assert f"--page writes HTML, but the file is {page}" in done.message
    assert not page.exists()
    nightly("lineage", "total/1", "--zoom", "module", "--page", tmp_path / "x.html")
    assert (tmp_path / "x.html").read_text().startswith("<!doctype html>")


@pytest.mark.long
def test_python_draws_the_same_pictures(nightly: Command, tmp_path: Path) -> None:
    home = {"neo4j_home": str(nightly.home), "neo4j_memory": "512m", "spark_memory": "1g"}
    with provhouse.open(nightly.warehouse, **home) as warehouse:
        drawings = {
            "lineage": warehouse.lineage("total/1").draw(),
            "impact": warehouse.impact("raw/1").draw(),
            "path": warehouse.path("raw/1", "total/1").draw(),
            "subgraph": warehouse.subgraph("clean/2").draw(),
            "diff": warehouse.diff("total/1", 1).draw(),
            "what-if": warehouse.zoom_what_if("raw/1", level="record").draw(),
            "lineage at table": warehouse.zoom("total/1", "table").draw(),
            "path at table": warehouse.zoom_path("raw/1", "total/1", "table").draw(),
            "diff at table": warehouse.zoom_diff("total/1", 1, level="table").draw(),
        }
        with pytest.raises(UsageError, match="A summary has no picture"):
            warehouse.lineage("total/1", summary=True).draw()
    for name, drawing in drawings.items():
        assert drawing.text("svg") == nightly(*ASKED[name], "--format", "svg").out, name
    drawings["lineage"].save(tmp_path / "x.mmd")
    assert (tmp_path / "x.mmd").read_text() == drawings["lineage"].text("mermaid")


@pytest.mark.long
def test_questions_with_pictures_have_results_with_graphs() -> None:
    for asking in QUESTIONS:
        module, _, name = asking.result.rpartition(".")
        result = module and getattr(import_module(f"provhouse.output.results.{module}"), name)
        assert asking.pictured == bool(result and issubclass(result, PicturedResult)), asking.name


@pytest.mark.long
def test_the_commands_of_the_page_work(nightly: Command, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "pictures.md"
    commands = re.findall(r"^provhouse (.*)$", page.read_text(encoding="utf-8"), re.M)
    assert len(commands) == 8
    for command in commands:
        *words, last = shlex.split(command)
        given = tmp_path / last if words[-1] == "--out" else last
        assert nightly(*words, given).out or Path(given).stat().st_size

"""Every format is valid, whatever names contain, and shows the same boxes and lines.

DOT and Mermaid are read by the small grammars below. The same files were once rendered with
Graphviz, and with Mermaid 11 in Chromium; both showed every name.
"""

import html
import re
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from helpers.drawn_graphs import HOSTILE, at_random, drawn, item
from provhouse.model.errors import Unavailable, UsageError
from provhouse.model.visible import visible
from provhouse.pictures.drawing import Drawing
from provhouse.pictures.formats import PICTURE_ENDINGS, Picture
from provhouse.pictures.legible_groups import grouped
from provhouse.pictures.picture_graph import DrawnGraph

NODES = [item(name, f't"<&`{name[:5]}') for name in HOSTILE]
EDGES = [(n, n + 1, HOSTILE[n * 7 % len(HOSTILE)], n + 1) for n in range(len(HOSTILE) - 1)]
ODD = drawn(NODES, EDGES, (3,), title='Hostile " <&> %%{init: {}}%% ` \\ ')
GRAPHS = {
    "hostile": ODD,
    "grouped": at_random(3, 500, 9, 900),
    "empty": drawn([], []),
    "fates": drawn(
        [(*item("a/1"), 1, 0, 0), (*item("b/1"), 0, 1, 0), (*item("c/1"), 0, 0, 1)],
        [(0, 1, "op", 1), (1, 2, "op", 2)], (0,),
        counts=("deleted", "dies", "changed"), details={2: "12 → 7"},
    ),
    "changes": drawn(
        [(*item("a/1"), 1, 0), (*item("b/1"), 0, 1)], [(0, 1, "op", 0, 2), (0, 1, "other", 3, 1)],
        (1,), counts=("came", "went"), weights=("came", "went"),
    ),
}  # fmt: skip
Shape = tuple[int, Counter[tuple[int, int]]]


def shape(graph: DrawnGraph) -> Shape:
    """Return the number of boxes, and the number of lines between each pair of boxes."""
    picture = grouped(graph)
    return len(picture.boxes), Counter((line.source, line.target) for line in picture.lines)


def read_dot(text: str) -> Shape:
    """Parse a DOT file: strings are quoted, with escapes."""
    string = r'"(?:[^"\\]|\\.)*"'
    attributes = rf"\w+=(?:{string}|\w+)"
    listed = rf"\[{attributes}(?:, {attributes})*\]"
    first, *lines, last = text.splitlines()
    assert (first, last) == ("digraph provhouse {", "}")
    nodes, edges = set(), Counter[tuple[int, int]]()
    for line in lines:
        if match := re.fullmatch(rf"  n(\d+) {listed};", line):
            nodes.add(int(match[1]))
        elif match := re.fullmatch(rf"  n(\d+) -> n(\d+) {listed};", line):
            edges[int(match[1]), int(match[2])] += 1
        else:
            general = rf"(?:node|edge) {listed};|(?:{attributes}; ?)+"
            assert re.fullmatch(rf"  (?:{general})", line), line
    return len(nodes), edges


def read_mermaid(text: str) -> Shape:
    """Parse a flowchart: labels are quoted, with only entities as escapes."""
    label = r'"((?:[^"`#&<>{}\[\]|;\\]|#\d+;|<br/>)*)"'
    first, *lines = text.splitlines()
    assert first == "flowchart LR"
    nodes, edges = set(), Counter[tuple[int, int]]()
    for line in lines:
        if match := re.fullmatch(rf"  n(\d+)\[{label}\]", line):
            nodes.add(int(match[1]))
        elif match := re.fullmatch(rf"  n(\d+) -->\|{label}\| n(\d+)", line):
            edges[int(match[1]), int(match[3])] += 1
        else:
            style = r"style n\d+ fill:#\w{6},stroke:#\w{6}(?:,stroke-width:3px)?,color:#\w{6}"
            assert re.fullmatch(rf"  (?:%% [^{{}}\n]*|{style})", line), line
    return len(nodes), edges


def mermaid_text(label: str) -> str:
    """Return the text that Mermaid shows for a label."""
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label).replace("\u200b", "")


@pytest.mark.parametrize("name", GRAPHS)
def test_all_formats_have_the_same_boxes_and_lines(name: str) -> None:
    drawing = Drawing(GRAPHS[name])
    expected = shape(GRAPHS[name])
    assert read_dot(drawing.text("dot")) == expected
    assert read_mermaid(drawing.text("mermaid")) == expected
    root = ET.fromstring(drawing.text("svg"))
    names = "{http://www.w3.org/2000/svg}"
    (picture,) = root.findall(f"{names}g")
    assert sum(group.find(f"{names}rect") is not None for group in picture) == expected[0]
    assert sum(1 for _ in re.finditer("<tr><td>", drawing.text("html"))) == sum(
        expected[1].values()
    )


def test_every_name_is_shown_in_every_format() -> None:
    drawing = Drawing(ODD)
    shown = [visible(name) for name in HOSTILE if name and len(name) < 20]
    about = ET.fromstring(drawing.text("svg")).findtext("{http://www.w3.org/2000/svg}desc") or ""
    assert [name for name in shown if name not in about] == []
    labels = re.findall(r'\["(.*?)<br/>', drawing.text("mermaid"))
    assert [one for one in shown if one not in {mermaid_text(label) for label in labels}] == []
    boxes = re.findall(r'n\d+ \[label="((?:[^"\\]|\\.)*?)\\n', drawing.text("dot"))
    texts = {re.sub(r"\\(.)", r"\1", text) for text in boxes}
    assert [one for one in shown if one not in texts] == []


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag] += 1
        self.found.update(f"@{name}" for name, _ in attrs)


@pytest.mark.parametrize("form", ["svg", "html"])
def test_a_picture_runs_and_loads_nothing(form: str) -> None:
    text = Drawing(ODD).text(form)
    tags = Tags()
    tags.feed(text)
    assert not {"script", "img", "image", "link", "foreignobject", "iframe", "use", "a"} & {
        *tags.found
    }
    assert not {name for name in tags.found if name.startswith(("@on", "@href", "@src", "@xlink"))}
    assert html.unescape(text).count("url(") == 0


def test_svg_has_a_title_and_a_description_for_screen_readers() -> None:
    root = ET.fromstring(Drawing(GRAPHS["fates"]).text())
    title, about, *_ = root
    assert root.attrib["role"] == "img"
    assert title.text == "A picture"
    assert about.text == ("Asked: a/1. c/1 from b/1 by op (2 triples). b/1 from a/1 by op. A note.")


def test_fates_and_changes_are_said_in_words() -> None:
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", Drawing(GRAPHS["fates"]).text())
    assert {"deleted", "dies", "12 → 7"} <= {*texts}
    changes = Drawing(GRAPHS["changes"]).text()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", changes)
    assert {"added", "removed", "op \N{MINUS SIGN}2", "other +3 \N{MINUS SIGN}1"} <= {*texts}
    assert changes.count("stroke-dasharray") == 2  # the branch and the trunk of "op"


@pytest.mark.parametrize("ending", PICTURE_ENDINGS)
def test_a_file_has_the_format_of_its_ending(ending: str, tmp_path: Path) -> None:
    drawing, path = Drawing(GRAPHS["fates"]), tmp_path / f"x{ending}"
    drawing.save(path)
    assert path.read_text(encoding="utf-8") == drawing.text(PICTURE_ENDINGS[ending])


def test_a_notebook_shows_a_drawing() -> None:
    drawing = Drawing(GRAPHS["fates"])
    assert drawing._repr_svg_() == drawing._repr_html_() == drawing.text("svg")
    assert repr(drawing) == "<Drawing: 3 boxes, 2 lines>"


def test_unknown_formats_and_unwritable_files_are_refused(tmp_path: Path) -> None:
    drawing = Drawing(GRAPHS["empty"])
    with pytest.raises(UsageError, match=r"format of .*x\.png is unknown"):
        drawing.save(tmp_path / "x.png")
    with pytest.raises(UsageError, match="'png' is not a format"):
        drawing.text("png")
    with pytest.raises(Unavailable, match="Cannot write to"):
        drawing.save(tmp_path / "missing" / "x.svg")
    assert len(Picture) == 4

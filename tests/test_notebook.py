"""Notebooks in ``docs`` run in Jupyter's kernel, and their outputs equal the stored outputs."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
VARYING = re.compile(r"<p><span>Method: .*?</span></p>|<p><span>Committed .*?</span></p>")
"""A pattern for the paragraphs of the notebook that contain times, which differ in each run."""


def shown(cell: Any) -> list[str]:
    """Return the text that a cell's outputs show, without times."""
    return [
        VARYING.sub("", _text(output))
        for output in cell.get("outputs", [])
        if output.get("name") != "stderr"
    ]


def _text(output: Any) -> str:
    data = output.get("data", {})
    return str(data.get("text/html") or data.get("text/plain") or output.get("text"))


@pytest.mark.long
@pytest.mark.parametrize("name", ["notebook.ipynb", "tracing.ipynb"])
def test_a_notebook_shows_what_is_stored_in_it(
    name: str,
    graph_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    nbclient, nbformat = (pytest.importorskip(name) for name in ("nbclient", "nbformat"))
    for name in [name for name in os.environ if name.startswith("PROVHOUSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
    monkeypatch.setenv("PROVHOUSE_SPARK_MEMORY", "1g")
    stored = nbformat.read(DOCS / name, 4)
    executed = nbformat.from_dict(stored)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(executed, timeout=300, resources=resources).execute()
    if request.config.getoption("--golden"):
        for cell in executed.cells:
            cell.metadata = {}
        nbformat.write(executed, DOCS / name)
        stored = executed
    assert any(shown(cell) for cell in stored.cells)
    for before, after in zip(stored.cells, executed.cells, strict=True):
        assert shown(after) == shown(before), before.source

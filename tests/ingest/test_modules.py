"""Module declarations: their file is checked, and changes of the warehouse preserve them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.oracle import Triple
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.care.forget import forget
from provhouse.ingest.declared_modules import given_modules
from provhouse.ingest.imported import import_
from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent
from provhouse.query.exporting.export import export_warehouse
from provhouse.store.tables.modules import known_modules, modules_of_ops
from provhouse.store.tables.snapshot import Snapshot

TOML = """
workflow = "nightly"
[[modules]]
module = "curate"
ops = ["strip", "look up"]
inputs = ["raw"]
state = ["ref"]
[[modules]]
module = "report"
workflow = "monthly"
ops = ["join"]
"""


def declared(path: Path, text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    path.write_text(text, encoding="utf-8")
    rows = given_modules(path).rows
    return [*zip(*rows.to_pydict().values(), strict=True)]


def test_toml_and_json_declare_the_same(tmp_path: Path) -> None:
    rows = declared(tmp_path / "m.toml", TOML)
    assert ("curate", "nightly", "state", "ref") in rows
    assert ("report", "monthly", "op", "join") in rows
    modules = [
        {"module": "curate", "ops": ["strip", "look up"], "inputs": ["raw"], "state": ["ref"]},
        {"module": "report", "workflow": "monthly", "ops": ["join"]},
    ]
    text = json.dumps({"workflow": "nightly", "modules": modules})
    assert declared(tmp_path / "m.json", text) == rows


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"module": "a", "ops": ["x"]}, {"module": "b", "ops": ["x"]}]', "two modules"),
        ('[{"module": "a"}, {"module": "a"}]', "declared twice"),
        ('[{"module": "a", "inputs": ["t"], "state": ["t"]}]', "both input and state"),
        ('[{"ops": ["x"]}]', "no name"),
        ('[{"module": "a", "op": "x"}]', "unknown key"),
        ('[{"module": "a", "ops": "x"}]', "not a list"),
        ('[{"module": "a", "ops": [1]}]', "not text"),
        ('[{"module": "a", "ops": [""]}]', "empty name"),
        ('{"module": "a"}', "no list"),
        ("[1]", "not an object"),
        ("[", "neither TOML"),
        ('[{"module": "\\ud800"}]', "not valid text"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        declared(tmp_path / "m.json", text)


_NAME = st.text(max_size=3) | st.none() | st.integers()
_MODULE = st.dictionaries(
    st.sampled_from(["module", "workflow", "ops", "inputs", "state", "outputs", "born", "x"]),
    _NAME | st.lists(_NAME, max_size=3),
)
_FILE = st.lists(_MODULE, max_size=3) | st.dictionaries(
    st.sampled_from(["workflow", "modules"]), _NAME | st.lists(_MODULE, max_size=3)
)


@pytest.mark.long
@given(content=_FILE | st.text(max_size=20), ending=st.sampled_from([".json", ".toml"]))
@settings(max_examples=30, deadline=None)
def test_any_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: object, ending: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzzed{ending}"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        rows = given_modules(path).rows
    except BadInput:
        return
    assert rows["module"].null_count == 0


def _modules(house: House) -> dict[str, tuple[str, ...]]:
    modules = known_modules(Snapshot(house.layout, house.commit))
    return {each.module: tuple(each.ops) for each in modules}


@pytest.mark.long
def test_declarations_follow_all_changes(houses: Callable[..., House], tmp_path: Path) -> None:
    house = houses()
    triples = [Triple("a", "b", "strip", "", ""), Triple("secret", "c", "look up", "", "")]
    file = tmp_path / "m.json"

    def declare(*modules: Mapping[str, object]) -> int:
        file.write_text(json.dumps(modules), encoding="utf-8")
        return house.ingest_files(modules=file).modules

    house.ingest(triples)
    curate = {"module": "curate", "ops": ["look up", "strip"], "inputs": ["raw"]}
    assert declare(curate) == 1
    assert not house.ingest_files(modules=file).committed
    with pytest.raises(BadInput, match="two modules"):
        declare({"module": "other", "ops": ["strip"]})
    assert declare({"module": "curate", "ops": ["look up"]}, {"module": "b", "ops": ["strip"]}) == 2
    assert declare({"module": "b"}) == 1  # b is withdrawn
    assert _modules(house) == {"curate": ("look up",)}
    compact(house.settings, Silent())
    assert _modules(house) == {"curate": ("look up",)}
    folder = tmp_path / "export"
    export_warehouse(house.layout, folder, Silent())
    other = houses()
    import_(folder, other.settings, Silent())
    assert _modules(other) == {"curate": ("look up",)}
    snapshot = Snapshot(house.layout, house.commit)
    assert modules_of_ops(snapshot) == {"look up": "curate"}
    forget(["secret"], house.settings, Silent())
    assert _modules(house) == {}  # only the erased item had this op
    assert modules_of_ops(snapshot) == {}  # although it was kept
    house.check_deep()

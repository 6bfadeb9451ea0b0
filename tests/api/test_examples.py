"""Every public call has an example in its docstring, which runs and prints the output it shows."""

import doctest
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import provhouse
from helpers.warehouse import House
from provhouse import results
from provhouse.model.errors import ProvhouseError
from provhouse.serve import server_file
from provhouse.store.warehouse.locks import locked

MODULES = [
    import_module(f"provhouse.{name}")
    for name in (
        "connection",
        "reader",
        "records",
        "results",
        "revised",
        "rows",
        "views",
        "warehouse",
    )
]
WRITERS = (
    "Warehouse.ingest",
    "Warehouse.ingest_captured",
    "Warehouse.retract",
    "Warehouse.add_revision",
    "Warehouse.add_execution",
)
"""The calls whose examples each need a separate warehouse."""


def examples() -> dict[str, doctest.DocTest]:
    """Return the examples of all public calls, by the name of the call."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [test for module in MODULES for test in finder.find(module)]
    return {test.name.split(".", 2)[2]: test for test in found if test.examples}


def calls(module: ModuleType) -> Iterator[str]:
    """Yield the name of each public function and method that users call."""
    for name in provhouse.__all__:
        value = getattr(provhouse, name)
        if inspect.getmodule(value) is not module:
            continue
        if inspect.isfunction(value):
            yield name
        for method in vars(value) if inspect.isclass(value) else ():
            if not method.startswith("_") and inspect.isfunction(vars(value)[method]):
                yield f"{name}.{method}"


EXAMPLES = examples()
WITHOUT = {f"{kind}.{call}" for kind in ("Reader", "Connection", "Warehouse")
           for call in ("ask", "close")} - {"Reader.ask"} | {"Warehouse.asker"}  # fmt: skip
"""Calls that need no example: only commands use ``ask`` and ``asker``, and ``close`` is obvious."""


def test_every_public_call_has_an_example() -> None:
    public = {name for module in MODULES for name in calls(module)}
    assert len(public) > 10
    assert public - set(EXAMPLES) == WITHOUT


def run(name: str, **names: object) -> None:
    """Run an example with ``names`` defined; fail if it prints anything but the output it shows."""
    test = EXAMPLES[name]
    test.globs = {"provhouse": provhouse, "pandas": pandas, **names}
    output: list[str] = []
    result = doctest.DocTestRunner().run(test, out=output.append)
    assert result.failed == 0, "".join(output)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name == "Warehouse.ingest_captured"))
        for name in sorted(EXAMPLES.keys() - {"connect"})
    ],
)
def test_an_example_prints_what_it_shows(
    name: str,
    first: House,
    houses: Callable[..., House],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    house = houses() if name in WRITERS or name.startswith("Revised.") else first
    if name == "Warehouse.retract":
        house.ingest_files(Path("examples/first/orders.csv"))
    left = captured(house, tmp_path) if name == "Warehouse.ingest_captured" else None
    settings = {"neo4j_home": house.settings.neo4j_home, "master": "local[2]"}
    with house.open() as warehouse:
        names = {"settings": settings, "folder": house.settings.warehouse, "left": left}
        names |= {"pyarrow": pa, "parquet": tmp_path / "out.parquet"}
        run(name, warehouse=warehouse, **names)


def captured(house: House, folder: Path) -> Path:
    """Return the folder that a captured job leaves if it ends while another process writes."""
    pq.write_table(pa.table({"id": [1, 2]}), folder / "orders.parquet")
    orders = house.session.read.parquet(str(folder / "orders.parquet"))
    house.layout.root.mkdir(parents=True)
    with (
        locked(house.layout),
        pytest.warns(UserWarning, match="ingest --captured"),
        house.capture(wait_seconds=0) as job,
    ):
        orders.write.parquet(str(folder / "report"))
    assert job.report
    assert job.report.folder
    return job.report.folder


ASKING = [name for name in sorted(EXAMPLES) if name.split(".")[0] in vars(results)
          or name.startswith(("Reader.", "Rows."))]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", ASKING)
def test_a_server_gives_what_an_example_shows(name: str, connection: provhouse.Connection) -> None:
    run(name, warehouse=connection)


@pytest.mark.long
def test_the_example_of_a_connection_runs(second: House) -> None:
    server = server_file.running(second.settings.warehouse)
    assert server
    token = server_file.token(second.settings.warehouse)
    run("connect", address=server.address, token=token)


def test_errors_are_the_public_tree() -> None:
    def below(kind: type[ProvhouseError]) -> Iterator[type[ProvhouseError]]:
        yield kind
        for one in kind.__subclasses__():
            if one.__module__ == ProvhouseError.__module__:
                yield from below(one)

    assert {kind.__name__ for kind in below(ProvhouseError)} <= set(provhouse.__all__)

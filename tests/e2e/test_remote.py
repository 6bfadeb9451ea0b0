"""A warehouse at an address, used by the command from two machines with caches of their own.

S3 is skipped if Go, which builds its server, is missing.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from helpers.command import Command
from helpers.hdfs import hdfs
from helpers.s3 import BUCKET, USER, s3
from provhouse.runtime.jars import cache_folder
from provhouse.runtime.remote.history import newest
from provhouse.runtime.remote.remote_manifest import FILES, read_manifest
from provhouse.store.warehouse.at_address import objects_at

ORDERS = Path(__file__).parent.parent.parent / "examples" / "first" / "orders.csv"
ITEM = "revenue/2026-03"
MORE = "src,dst,op,src_table,dst_table\norders/99,invoices/9,bill,orders,invoices\n"


@pytest.fixture(params=["s3", "hdfs"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a storage of each kind."""
    with ExitStack() as stack:
        if request.param == "hdfs":
            yield stack.enter_context(hdfs(tmp_path / "server"))
            return
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("AWS_ENDPOINT_URL", stack.enter_context(s3(tmp_path / "server")))
        for name, value in USER.items():
            patch.setenv(name, value)
        yield f"s3://{BUCKET}"


def machine(folder: Path, warehouse: str) -> Command:
    """Return the command on a machine that has provhouse's jars, and whose cache is in a folder."""
    cache = folder / "provhouse"
    cache.mkdir(parents=True)
    for name in ("jars", "classes"):
        (cache / name).symlink_to(cache_folder() / name)
    given = {"PROVHOUSE_WAREHOUSE": warehouse, "XDG_CACHE_HOME": str(folder)}
    return Command(folder, settings=given)


def lineage(command: Command) -> set[str]:
    rows = command("lineage", ITEM, "--format", "csv").out.splitlines()
    return {row.partition(",")[0] for row in rows[1:]}


def stored(address: str) -> set[str]:
    """Return the keys of the objects with files, which are those of the newest manifest."""
    objects = objects_at(address)
    last = newest(objects)
    assert last
    listed = read_manifest(objects, last.entry.manifest)
    assert listed
    found = {each.key for each in objects.listed(FILES)}
    assert found == {part.key for part in listed.values()}
    return found


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_machines_share_a_warehouse(place: str, tmp_path: Path) -> None:
    address = f"{place}/houses/one"
    a, b = machine(tmp_path / "a", address), machine(tmp_path / "b", address)
    local = machine(tmp_path / "local", str(tmp_path / "house"))
    local("ingest", ORDERS)
    wanted = lineage(local)
    assert len(wanted) == 6

    local("copy", tmp_path / "house", address)
    assert "There is something already" in local("copy", tmp_path / "house", address, status=2).err
    assert lineage(a) == wanted

    more = tmp_path / "more.csv"
    more.write_text(MORE)
    a("ingest", more)
    assert lineage(b) == wanted | {"orders/99"}
    assert b("lineage", ITEM, "--as-of", "1", "--format", "csv").out.count("\n") == 7

    before = stored(address)
    b("forget", "orders/99")
    assert lineage(a) == wanted
    assert any("/names/" in key for key in before - stored(address))
    a("tidy", "--rewrite", "--keep", "1")
    assert lineage(b) == wanted
    b("check", "--deep")

    b("copy", address, tmp_path / "back")
    back = machine(tmp_path / "c", str(tmp_path / "back"))
    assert lineage(back) == wanted
    back("check", "--deep")


@pytest.mark.parametrize("command", [["up"], ["revisions"], ["ingest", "--captured", "x"]])
def test_commands_that_need_a_local_warehouse_refuse_an_address(
    command: list[str], tmp_path: Path
) -> None:
    message = machine(tmp_path, "s3://bucket/house")(*command, status=2).message
    assert "needs a warehouse on this machine, and not s3://bucket/house" in message
    assert not (tmp_path / "provhouse" / "remote").exists()


@pytest.mark.parametrize("name", ["neo4j_home", "neo4j_uri"])
def test_a_neo4j_of_other_warehouses_is_refused(name: str, tmp_path: Path) -> None:
    command = machine(tmp_path, "s3://bucket/house")
    command.settings[f"PROVHOUSE_{name.upper()}"] = "bolt://127.0.0.1:1"
    assert f"The setting {name} does not suit" in command("status", status=2).message

"""The commands of the pages about the server run as typed, on the first example's warehouse.

Their addresses of other machines are replaced by the address of a server on this machine.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from pyspark.sql import SparkSession

import provhouse
from helpers.pages import blocks, enter, shell, typed
from provhouse.cli.app import run
from provhouse.model.progress import Silent
from provhouse.serve import server_file
from provhouse.serve import server_process as process

FIRST = Path(__file__).parents[2] / "examples" / "first" / "orders.csv"
LINEAGE = {"invoices/9", "invoices/10", "orders/17", "orders/18", "prices/milk", "prices/tea"}
REMOTE = "https://lineage.example.com:8443"
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def printed(
    graph_home: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The output of `provhouse up`. Its warehouse is in the current folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("served pages"))
        patch.setenv("PROVHOUSE_NEO4J_HOME", str(graph_home))
        patch.setenv("PROVHOUSE_SPARK_MEMORY", "1g")
        patch.delenv("PROVHOUSE_WAREHOUSE", raising=False)
        assert run(["ingest", str(FIRST)]) == 0
        (block,) = blocks("page.md", "console")
        command = block.splitlines()[0].removeprefix("$ ")
        yield shell(command)
        process.down(Path("warehouse"), Silent())


@pytest.fixture
def address(printed: str) -> str:
    """The address of the server."""
    found = server_file.running(Path("warehouse"))
    assert found
    assert found.address in printed
    return found.address


@pytest.fixture
def token(address: str) -> Path:
    """A file with a token of ann, where the page for teams expects it in the home folder."""
    file = Path(".provhouse-token")
    if not file.exists():
        (adding,) = typed(blocks("team.md", "")[0])
        file.touch(mode=0o600)
        file.write_text(shell(adding).split()[-1])
    return file.absolute()


def items(answer: str) -> set[str]:
    """Return the items of an answer in JSON."""
    return {each["item"] for each in json.loads(answer)["items"]}


def test_up_prints_what_the_page_shows(printed: str) -> None:
    (block,) = blocks("page.md", "console")
    shown = block.partition("\n")[2]
    pattern = re.sub(r":\d+|…", ".+", re.sub(r"([().#?])", r"\\\1", shown))
    assert re.fullmatch(pattern, printed)


def test_the_http_interface_answers_curl(address: str) -> None:
    asking, _ = blocks("server.md", "")
    assert items(shell(asking)) == LINEAGE


def test_the_tokens_of_the_page(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, tokens = blocks("server.md", "")
    add, show, revoke = typed(tokens.replace("ann", "bob"))
    assert len(enter([add], capsys).split()[-1]) > 20
    assert "bob" in enter([show], capsys)
    enter([revoke], capsys)
    (token,) = (each for each in json.loads(enter([show], capsys)) if each["name"] == "bob")
    assert token["state"] == "revoked"


def test_a_team_asks_the_server(address: str, token: Path) -> None:
    _, asking, _ = blocks("team.md", "")
    lineage, find = shell(asking.replace(REMOTE, address), HOME=str(Path.cwd())).split("\n", 1)
    assert set(re.findall(r"\w+/[\w-]+", lineage + find)) >= LINEAGE
    (block,) = blocks("team.md", "python")
    called = block.replace(REMOTE, address).replace("server.l", "found = server.l")
    given: dict[str, Any] = {"provhouse": provhouse, "token": token.read_text()}
    exec(called, given)
    assert {each.item for each in given["found"].items} == LINEAGE


def test_programs_on_the_host_of_a_container_ask_the_server(address: str, token: Path) -> None:
    asking = blocks("containers.md", "")[2].replace("http://127.0.0.1:8642", address)
    Path("docker").mkdir()
    Path("docker/token").write_text(token.read_text())
    Path("docker/token").chmod(0o600)
    command, curl = typed(asking)
    assert set(re.findall(r"\w+/[\w-]+", shell(command))) >= LINEAGE
    assert items(shell(curl)) == LINEAGE


@pytest.mark.parametrize("number", range(3))
def test_agents_ask_as_configured(number: int, address: str, token: Path) -> None:
    found = json.loads(blocks("agents.md", "json")[number])
    (server,) = (found.get("mcpServers") or found["servers"]).values()
    assert server.get("type", "stdio") == "stdio"
    given = {
        "/data/warehouse": "warehouse",
        REMOTE: address,
        "token_file=/home/ann/agent.token": f"token_file={token}",
    }
    arguments = [given.get(each, each) for each in server["args"]]
    assert arguments != server["args"]
    command = shell(f"command -v {server['command']}").strip()

    async def asked() -> str:
        async with Client(StdioServerParameters(command=command, args=arguments)) as client:
            (content,) = (await client.call_tool("lineage", {"item": "revenue/2026-03"})).content
            assert isinstance(content, TextContent)
            return content.text

    assert items(anyio.run(asked)) == LINEAGE

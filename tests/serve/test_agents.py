"""Agents ask through the SDK's own client; tools match the declared questions, limits and roles."""

import json
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent, Tool

from helpers.oracle import Triple
from provhouse.cli.questions import running_client
from provhouse.model.settings import Settings
from provhouse.output.questions.question_registry import QUESTIONS as DECLARED
from provhouse.serve import client as serve_client
from provhouse.serve.agents import bounded
from provhouse.serve.agents.stdio_server import mcp_server
from provhouse.serve.agents.tools import QUESTIONS, tools
from provhouse.serve.tokens import Role, add_token, revoke_token

from .conftest import Served

Done = TypeVar("Done")
Work = Callable[[Client], Awaitable[Done]]
ARGUMENTS: dict[str, dict[str, Any]] = {
    "find": {"text": "t:1"},
    "lineage": {"item": "t:290"},
    "impact": {"item": "t:290"},
    "origins": {"item": "t:290"},
    "path": {"from": "t:0", "to": "t:301"},
    "diff": {"item": "t:290", "from": 1},
    "record": {"item": "t:290"},
    "why": {"item": "t:290"},
    "why-changed": {"item": "t:290", "from": 1},
    "depends": {"item": "t:290", "on": "t:0"},
    "what-if": {"items": ["t:290"]},
    "what-if-each": {"item": "t:290"},
    "zoom": {"item": "t:290", "zoom": "table"},
    "values": {"of": "op"},
    "ops": {},
    "modules": {},
    "generations": {},
}


def with_client(work: Work[Done], connect: Callable[[], serve_client.Client]) -> Done:
    async def run() -> Done:
        async with Client(mcp_server(connect)) as client:
            return await work(client)

    return anyio.run(run)


def called(served: Served, name: str, arguments: dict[str, Any], token: str = "") -> CallToolResult:
    connect = partial(serve_client.Client, served.house.settings.warehouse, served.server, token)

    async def work(client: Client) -> CallToolResult:
        return await client.call_tool(name, arguments)

    return with_client(work, connect)


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def listed() -> list[Tool]:
    async def work(client: Client) -> list[Tool]:
        return (await client.list_tools()).tools

    return with_client(work, refused)


def refused() -> serve_client.Client:
    raise AssertionError("a list of tools needs no server")


def test_the_tools_are_the_declared_questions() -> None:
    assert set(QUESTIONS) < set(DECLARED)
    found = {each.name: each for each in listed()}
    assert [*found] == [*tools()] == [*ARGUMENTS]
    assert found["find"].description == "Find items by the beginning of their names."
    assert found["find"].input_schema["required"] == ["text"]
    limit = found["find"].input_schema["properties"]["limit"]
    assert limit == {
        "default": 20, "minimum": 1, "type": "integer",
        "description": "List up to N items, in order of their names.",
    }  # fmt: skip
    assert {"from", "to", "all"} <= {*found["path"].input_schema["properties"]}
    assert all(each.annotations and each.annotations.read_only_hint for each in found.values())
    assert "view" not in found


@pytest.mark.parametrize("name", ARGUMENTS)
def test_each_tool_gives_the_answer_of_its_route(served: Served, name: str) -> None:
    route = served.request("POST", f"/v1/{name}", json=ARGUMENTS[name]).json()
    result = called(served, name, ARGUMENTS[name])
    assert not result.is_error, text(result)
    found = json.loads(text(result))
    assert kept(found) == kept(json.loads(bounded.bounded(route, "N") or ""))


def kept(value: Any) -> Any:
    """Return an answer without times and without the sentences about omitted parts."""
    if isinstance(value, dict):
        return {name: kept(each) for name, each in value.items() if name != "seconds"}
    if isinstance(value, list):
        return [kept(each) for each in value if not str(each).count(" more: ")]
    return value


def test_the_sdks_client_asks_the_command_on_standard_input(served: Served) -> None:
    """A warehouse whose name needs quotes, an answer that is cut, and an item that is missing."""
    command = Path(sys.executable).with_name("provhouse")
    arguments = ["--warehouse", str(served.house.settings.warehouse), "mcp"]
    server = StdioServerParameters(command=str(command), args=arguments)
    size = len(served.oracle.ask("t:301", "upstream").items)

    async def run() -> tuple[str, list[str]]:
        async with Client(server) as client:
            asked = ("lineage", {"item": "t:301"}), ("lineage", {"item": "t:3010"})
            return client.instructions or "", [
                text(await client.call_tool(*each)) for each in asked
            ]

    instructions, (lineage, missing) = anyio.run(run)
    assert "find before other questions" in instructions
    items = json.loads(lineage)["items"]
    assert len(items) == 101
    assert items[-1].startswith(f"{size - 100:,} more: ask narrower, with limit, summary, depth")
    assert missing.startswith("Item 't:3010' is not in generation")


def test_the_most_is_read_and_counted_instead(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST_BYTES", 2_000)
    found = json.loads(text(called(served, "lineage", {"item": "t:301"})))
    items = served.oracle.ask("t:301", "upstream").items
    assert sum(each["items"] for each in found["tables"]) == len(items)
    result = called(served, "path", {"from": "t:0", "to": "t:301", "all": True})
    assert result.is_error
    assert text(result).startswith("The answer of path is too large\nAn agent receives at most")


def test_a_role_without_a_right_is_refused(served: Served) -> None:
    warehouse = served.house.settings.warehouse
    token = add_token(warehouse, "agent", Role.read, None)
    try:
        assert not called(served, "find", {"text": "t"}, token).is_error
        result = called(served, "record", {"item": "t:1"}, token)
        assert result.is_error
        assert text(result).startswith("POST /v1/record needs the role admin\n")
    finally:
        revoke_token(warehouse, "agent")
    result = called(served, "find", {"text": "t"}, token)
    assert result.is_error
    assert "was revoked" in text(result)


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "There is no tool 'drop'\nThe tools are find, lineage": ("drop", {}),
    "The argument text of find is invalid\nIt is missing\nThe arguments are text, ": ("find", {}),
    "The argument x of find is invalid\nThe tool has no such": ("find", {"text": "a", "x": 1}),
    "The argument limit of find is invalid\nIts value does": ("find", {"text": "a", "limit": 0}),
    "There is no table 'x'": ("find", {"text": "a", "table": "x"}),
}


@pytest.mark.parametrize("expected", WRONG)
def test_errors_of_tools_are_our_sentences(served: Served, expected: str) -> None:
    result = called(served, *WRONG[expected])
    assert result.is_error
    assert text(result).startswith(expected)


def test_a_server_that_is_not_running_is_an_error_of_the_tool(tmp_path: Path) -> None:
    async def work(client: Client) -> CallToolResult:
        return await client.call_tool("find", {"text": "a"})

    result = with_client(work, partial(running_client, Settings(warehouse=tmp_path)))
    assert result.is_error
    assert text(result).startswith("No server is running for this warehouse\n")
    assert text(result).endswith("Run `provhouse up`, and ask again")


@pytest.mark.long
def test_an_answer_of_any_size_is_bounded() -> None:
    rows = [{"item": "x" * 400, "n": number} for number in range(1000)]
    found = bounded.bounded({"items": rows, "few": [1, 2], "text": "y" * 700}, "ask N")
    assert found
    assert len(found) <= bounded.MOST_CHARACTERS
    answer = json.loads(found)
    assert answer["items"][-1] == "950 more: ask N"
    assert answer["items"][:-1] == rows[:50]
    assert answer["few"] == [1, 2]
    assert answer["text"] == "y" * 500 + "… (200 more characters)"
    assert bounded.bounded({str(n): n for n in range(10_000)}, "ask N") is None
    assert bounded.read_bounded([b"a"] * 3) == b"aaa"
    assert bounded.read_bounded([b"a" * bounded.MOST_BYTES, b"b"]) is None


def test_a_new_item_is_found_at_once(served: Served) -> None:
    served.ingest([Triple("agents/1", "agents/2", "op", "agents", "agents")])
    found = json.loads(text(called(served, "path", {"from": "agents/1", "to": "agents/2"})))
    assert found["hops"] == 1

"""Each query for Neo4j Browser returns rows, and only from its own warehouse."""

import json
import urllib.request

import pytest
from neo4j import GraphDatabase

from helpers.sampled import one_in
from provhouse.commit.module_graph import MOST_COUNTED
from provhouse.cypher.address import Address
from provhouse.cypher.browser_style import style_command
from provhouse.cypher.graph import Graph
from provhouse.cypher.guide import BrowserQuery, queries, url


@pytest.fixture
def filled(graph: Graph) -> Graph:
    """Return a warehouse with nodes and relationships of every kind."""
    graph.write("tables", [{"name": name, "items": 2} for name in ("raw", "clean")])
    link: dict[str, object] = {"triples": 3, "ops": ["tidy"]}
    graph.write("derives_from", [{"table": "clean", "derives_from": "raw", **link}])
    graph.write("sets", [{"id": n, "component": 1, "items": 2, "triples": 3, "tables": ["raw"]}
                         for n in (1, 2)])  # fmt: skip
    graph.write("dependencies", [{"set": 2, "derives_from": 1, **link}])
    graph.write("components", [{"id": n, "items": 4, "triples": 6, "sets": 2} for n in (1, 9)])
    graph.write("merges", [{"component": 9, "into": 1}])
    module = {"workflow": "nightly", "ops": ["tidy"], "triples": 3, "invocations": 1}
    graph.announce(
        {"number": 1, "time": "t", "triples": 6, "items": 4},
        {
            "modules": [{"name": "curate", **module}],
            "sets_made_by": [{"set": 2, "module": "curate", "triples": 3}],
        },
    )
    item = {
        "table": "raw",
        "op": "",
        "items": 1,
        "depth": 0,
        "caption": "a",
        "exactness": None,
        "sets": [2],
    }
    graph.write_view("v", "9999", [{"key": 0, "name": "a", **item}], [])
    return graph


def test_the_queries_have_titles_and_no_parameters() -> None:
    made = queries("w")
    assert len(made) == 10
    assert all(query.text.startswith(f"// {query.title}\n") for query in made)
    assert all("'w'" in query.text and "$" not in query.text for query in made)
    assert all(
        query.text.split("\n")[1] == f"// Shows nothing if {query.why_empty}" for query in made
    )
    assert all(query.why_empty.endswith(".") for query in made)


def test_queries_of_modules_say_what_a_large_warehouse_lacks() -> None:
    assert all(f"more than {MOST_COUNTED:,} triples" in each.text for each in queries("w")[5:8])


@pytest.mark.parametrize("number", one_in(4, range(8)))
def test_each_query_finds_something(filled: Graph, number: int) -> None:
    assert filled.read(queries(filled.warehouse)[number].text, {}).rows


@pytest.mark.parametrize("number", one_in(6, range(8)))
@pytest.mark.usefixtures("filled")
def test_no_query_finds_data_of_another_warehouse(graph: Graph, number: int) -> None:
    query: BrowserQuery = queries("it's \\ another")[number]
    assert graph.read(query.text, {}).rows == []


def test_the_browser_page_loads(address: Address) -> None:
    assert f"{address.user}@127.0.0.1" in url(address)
    with urllib.request.urlopen(url(address)) as page:
        assert "Neo4j Browser" in page.read().decode()


def test_three_steps_upstream_show_all_three_steps(graph: Graph) -> None:
    """The first step has 300 sources. If the query limited paths, it would show only this step."""
    first = [(1, n) for n in range(2, 302)]
    second = [(n, n + 1_000) for n in range(2, 302)]
    third = [(n + 1_000, n + 2_000) for n in range(2, 302)]
    graph.write("dependencies", [
        {"set": child, "derives_from": parent, "triples": parent, "ops": ["op"]}
        for child, parent in first + second + third
    ])  # fmt: skip
    rows = graph.read(queries(graph.warehouse)[3].text, {}).rows
    assert len(rows) == 12
    assert all(None not in row for row in rows)


def test_browser_is_sent_the_style_when_it_connects(address: Address) -> None:
    with GraphDatabase.driver(address.bolt, auth=(address.user, address.password)) as driver:
        shown = driver.execute_query("SHOW SETTINGS 'browser.post_connect_cmd' YIELD value")
    command, then = shown.records[0]["value"].split("; ")
    assert command == style_command()
    assert then == "clear"
    style = json.loads(command.removeprefix("style "))
    assert style["node.Set"]["caption"] == "set {id}: {items} items of {tables}"
    assert ";" not in command  # Browser would split the command at a semicolon

"""No argument of a Catalyst node is overlooked: each argument is changed, one at a time.

``PlanText.java`` describes a node by the arguments with which Spark copies it. The test shows by
reflection that these are all parameters of the class. The changed plan must have another key, or be
opaque.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from helpers.spark_queries import QUERIES, described
from provhouse.equivalence import catalyst_expressions, catalyst_operators
from provhouse.equivalence.catalyst_functions import AGGREGATES, SCALAR, WINDOWED
from provhouse.equivalence.catalyst_node import is_plan, kind_of
from provhouse.equivalence.catalyst_scans import PLACES
from provhouse.equivalence.from_spark import spark_plan
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import doubts
from provhouse.equivalence.python_function import FunctionFacts
from provhouse.runtime.spark.pyspark_internals import java_session

Node = dict[str, Any]
Place = tuple[str, str]
HARMLESS = {
    "Alias": {"name", "others 0", "others 1", "others 2", "others 3"},
    "AttributeReference": {"name", "nullable", "metadata", "others 1"},
    "Aggregate": {"hint"},
    "aggregate.AggregateExpression": {"resultId"},
    "CommonExpressionRef": {"nullable"},
    "CTERelationDef": {"underSubquery"},
    "CTERelationRef": {"_resolved", "output", "statsOpt"},
    "Exists": {"exprId", "hint"},
    "Expand": {"output"},
    "Generate": {"generatorOutput", "qualifier"},
    "Join": {"hint"},
    "ListQuery": {"exprId", "hint", "numCols"},
    "LocalRelation": {"output"},
    "PythonUDF": {"name", "resultId"},
    "Range": {"numSlices", "output"},
    "RebalancePartitions": {
        "partitionExpressions", "optNumPartitions", "optAdvisoryPartitionSize",
    },
    "Repartition": {"numPartitions", "shuffle"},
    "RepartitionByExpression": {
        "partitionExpressions", "optNumPartitions", "optAdvisoryPartitionSize",
    },
    "ResolvedHint": {"hints"},
    "ScalarSubquery": {"exprId", "hint"},
    "Sort": {"hint"},
    "SubqueryAlias": {"identifier"},
    "View": {"desc", "isTempView"},
    "Window": {"hint"},
    "execution.datasources.LogicalRelation": {"output"},
}  # fmt: skip
"""By node, the arguments that do not affect rows, such as names, hints and assigned numbers."""
CLASSES = "org.apache.spark.sql.catalyst."
OTHERS = [
    *(f"{CLASSES}plans.{each}$" for each in ("Inner", "LeftOuter", "FullOuter", "LeftSemi")),
    *(f"{CLASSES}expressions.{each}$" for each in ("Ascending", "Descending", "NullsFirst")),
    *(f"{CLASSES}expressions.{each}$" for each in ("NullsLast", "RowFrame", "RangeFrame")),
    "LEGACY", "ANSI", "TRY", f"{CLASSES}expressions.aggregate.Partial$",
]  # fmt: skip
"""Values that the translation supports, and therefore does not refuse."""
LITERAL: Node = {
    "node": f"{CLASSES}expressions.Literal",
    "fields": {"value": 77, "dataType": "integer"},
    "others": [],
    "type": "integer",
}


@pytest.fixture(scope="module")
def plans(tables: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[Node]:
    """The described plans of all queries, and of frames that SQL cannot express."""
    frames = [tables.sql(text) for text in QUERIES]
    table, folder = tables.table("t"), str(tmp_path_factory.mktemp("files"))
    table.select("a", "b").createOrReplaceTempView("viewed")
    frames += [
        tables.table("viewed"),
        table.select("a", "b").dropna().dropDuplicates(),
        table.select(F.udf(lambda x: x, "int")("a")),
        tables.read.schema("a int, b string").option("sep", ";").csv(folder),
        tables.read.schema("a int").parquet(folder),
    ]
    found = [described(frame) for frame in frames]
    tables.catalog.dropTempView("viewed")
    return found


def test_every_class_that_is_accepted_occurs(plans: list[Node]) -> None:
    accepted = {*SCALAR, *AGGREGATES, *WINDOWED}
    accepted |= {*catalyst_operators.TRANSLATED, *catalyst_expressions.TRANSLATED}
    assert accepted - {kind_of(node) for plan in plans for node in _nodes(plan["plan"])} == set()
    assert [found for plan in plans if (found := _keyed(plan, _facts(plan))[1])] == []


def test_every_parameter_of_every_class_is_described(
    tables: SparkSession, plans: list[Node]
) -> None:
    jvm, _ = java_session(tables)
    seen = {node["node"]: node for plan in plans for node in _nodes(plan["plan"])}
    for name, node in seen.items():
        constructors = jvm.java.lang.Class.forName(name).getConstructors()
        expected = max((each.getParameterCount() for each in constructors), default=0)
        assert len(node["fields"]) + len(node["others"]) == expected, name
    assert len(seen) > 150


@pytest.mark.parametrize("instances", [1, pytest.param(5, marks=pytest.mark.long)])
def test_every_argument_of_every_node_changes_the_key(plans: list[Node], instances: int) -> None:
    tried, overlooked = Counter[Place](), set[Place]()
    for plan in plans:
        facts = _facts(plan)
        key, _ = _keyed(plan, facts)
        for node in list(_read(plan["plan"])):
            for place, holder, at in _arguments(node):
                if tried[place] < instances:
                    tried[place] += 1
                    overlooked |= {place for _ in _equal(plan, facts, key, holder, at)}
    assert sorted(overlooked) == []
    assert len(tried) > 300


def test_columns_of_the_result_and_of_tables_are_in_the_key(tables: SparkSession) -> None:
    plan = described(tables.sql("select a, b from t"))
    key, _ = _keyed(plan, {})
    scan = next(each for each in _nodes(plan["plan"]) if kind_of(each).endswith("LogicalRelation"))
    for output in (plan["plan"]["output"][0], scan["output"][0]):
        for at, other in ((1, "other"), (2, "long"), (3, False), (4, '{"__CHAR":"char(3)"}')):
            if output is scan["output"][0] and at == 4:
                continue  # Spark pads CHAR by calls, which are read
            output[at], before = other, output[at]
            assert _is_refused(plan, {}, key), (output, at)
            output[at] = before
    scan["fields"]["relation"]["pinned"] = 3
    assert _is_refused(plan, {}, key)


def _nodes(part: Any) -> Iterator[Node]:
    """Yield all nodes of a plan."""
    if isinstance(part, dict):
        if "node" in part:
            yield part
        part = [*part.values()]
    if isinstance(part, list):
        for value in part:
            yield from _nodes(value)


def _read(part: Any) -> Iterator[Node]:
    """Yield the nodes of a plan that are not inside harmless arguments."""
    if isinstance(part, dict) and "node" in part:
        yield part
        harmless = HARMLESS.get(kind_of(part), ())
        part = {name: value for name, value in part["fields"].items() if name not in harmless}
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for each in inner:
        yield from _read(each)


def _arguments(node: Node) -> Iterator[tuple[Place, Any, Any]]:
    """Yield each argument of a node, and each field of an argument, with its container and key."""
    kind = kind_of(node)
    listed = [(name, node["fields"], name) for name in node["fields"]]
    listed += [(f"others {at}", node["others"], at) for at in range(len(node["others"]))]
    for name, holder, at in listed:
        value = holder[at]
        if name in HARMLESS.get(kind, ()) or is_plan(value):
            continue
        if isinstance(value, dict) and "node" not in value:
            parts = [(part, value) for part in value if part not in _skipped(node, name)]
            parts += [(part, value["fields"]) for part in value.get("fields", {})]
            yield from (((kind, f"{name}.{part}"), inside, part) for part, inside in parts)
        else:
            yield (kind, name), holder, at


def _skipped(node: Node, name: str) -> set[str]:
    """Return an object's harmless fields, and the fields whose own fields are changed instead."""
    if name != "relation":
        return {"fields"} | ({"executable"} if name == "func" else set())
    relation = node["fields"]["relation"]
    skipped = {"paths", "format"} if node["fields"]["catalogTable"] else set()  # it has a name
    if not relation["format"].startswith("csv"):
        skipped |= {"data"}  # the columns have types
    return skipped | ({"options"} if {each[0] for each in relation["options"]} <= PLACES else set())


def _equal(
    plan: Node, facts: dict[str, FunctionFacts], key: str, holder: Any, at: Any
) -> Iterator[Any]:
    """Yield the other values of an argument that leave the key unchanged."""
    before = holder[at]
    for other in _changed(before, at == "object"):
        holder[at] = other
        if not _is_refused(plan, facts, key):
            yield other
    holder[at] = before


def _changed(value: Any, is_object: bool) -> list[Any]:
    """Return other values to replace ``value``."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, str):
        return [f"trap {value}", *(each for each in OTHERS if is_object and each != value)]
    if value is None:
        return [LITERAL, True, 1, "trap", {"object": "trap", "fields": {}}]
    if isinstance(value, list):
        plans = value and is_plan(value[0])
        return [value[:-1]] if plans else [[*value, LITERAL], *([value[:-1]] if value else [])]
    return [LITERAL, None]


def _facts(plan: Node) -> dict[str, FunctionFacts]:
    functions = (each for each in _nodes(plan["plan"]) if kind_of(each) == "PythonUDF")
    return {each["fields"]["func"]["python"]: FunctionFacts("digest", True) for each in functions}


def _keyed(plan: Node, facts: dict[str, FunctionFacts]) -> tuple[str, list[str]]:
    found = spark_plan(plan, facts)
    return plan_keys(found).whole, doubts(found)


def _is_refused(plan: Node, facts: dict[str, FunctionFacts], key: str) -> bool:
    try:
        found, doubtful = _keyed(plan, facts)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return True
    return bool(doubtful) or found != key

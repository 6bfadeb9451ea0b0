"""Translate the expressions of Spark's analysed plans."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .catalyst_functions import AGGREGATES, PYTHON_BY_ROW, SCALAR, STATIC, WINDOWED
from .catalyst_node import CatalystNode, Node, catalyst_type, is_node, kind_of, object_of, readable
from .node_reader import NotTranslated, canonical
from .plan_form import (
    Aggregation,
    Call,
    Column,
    ColumnReference,
    Constant,
    Expression,
    SortKey,
    WindowCall,
)
from .python_function import FunctionFacts

DATED = re.compile(r'"\d{4}-')
TIME = re.compile(r"timestamp(?!_ntz)")
FRAMES = {"RowFrame": "ROWS", "RangeFrame": "RANGE"}
Known = Callable[[Node], Expression | None]


def _nothing(_: Node) -> None:
    return None


@dataclass
class Scope:
    """The columns and functions that the expressions of one operator may contain."""

    ids: Sequence[str]
    """Spark's ids of the columns of all inputs."""
    columns: Sequence[Column]
    functions: Mapping[str, FunctionFacts]
    """The Python functions of the program, by the digests of their pickles."""
    known: Known = _nothing
    """A function that translates nodes with a special meaning in this scope, or returns None."""
    varies: list[str] = field(default_factory=list)
    """The reasons why the values of expressions may differ between runs."""
    shared: dict[str, Expression] = field(default_factory=dict)
    """Expressions that Spark computes once and reads several times, by their ids."""

    def reference(self, id_: str, type_: str) -> ColumnReference:
        """Return the column with this Spark id. Raises NotTranslated if it is not in the inputs."""
        found = [at for at, each in enumerate(self.ids) if each == id_]
        if not found or self.columns[found[0]].type != type_:
            raise NotTranslated("a column that is not in the inputs")
        return ColumnReference(found[0])


def expression(node: Node, scope: Scope) -> Expression:
    """Return an expression. Raises NotTranslated if a part of it is not known."""
    if (known := scope.known(node)) is not None:
        return known
    kind = kind_of(node)
    with CatalystNode(node) as part:
        if kind in TRANSLATED:
            made: Expression = TRANSLATED[kind](part, scope)
            return made
        if kind not in SCALAR:
            raise NotTranslated(f"the function {_shown(node)}")
        call = _call(SCALAR[kind], part, scope)
        return _cast(call, scope) if kind == "Cast" else call


def expressions(nodes: Sequence[Node], scope: Scope) -> tuple[Expression, ...]:
    """Return a tuple of expressions."""
    return tuple(expression(node, scope) for node in nodes)


def id_of(node: Node) -> str:
    """Return Spark's id of a named expression; empty if it has none."""
    kinds = ("Alias", "AttributeReference")
    return str(node["others"][0]) if kind_of(node) in kinds else ""


def sort_keys(nodes: Sequence[Node], scope: Scope) -> tuple[SortKey, ...]:
    """Return the sort keys of a list of nodes."""
    return tuple(_sort_key(node, scope) for node in nodes)


def aggregation(node: Node, scope: Scope) -> Aggregation:
    """Return a call of an aggregate."""
    with CatalystNode(node) as part:
        if (
            part.kind != "aggregate.AggregateExpression"
            or object_of(part.take("mode")) != "Complete"
        ):
            raise NotTranslated(part.kind)
        part.skip("resultId")
        distinct, condition = bool(part.take("isDistinct")), part.take("filter")
        call = _listed_call(part.take("aggregateFunction"), AGGREGATES, scope)
        where = None if condition is None else expression(condition, scope)
        return Aggregation(call, distinct, where, ())


def window_call(node: Node, scope: Scope) -> WindowCall:
    """Return a call of a window function."""
    with CatalystNode(node) as part:
        if part.kind != "WindowExpression":
            raise NotTranslated(part.kind)
        function, window = part.take("windowFunction"), part.take("windowSpec")
    distinct, condition = False, None
    if kind_of(function) == "aggregate.AggregateExpression":
        inner = function["fields"]["aggregateFunction"]
        if kind_of(inner) in AGGREGATES:
            made = aggregation(function, scope)
            call, distinct, condition = made.call, made.distinct, made.condition
        else:
            call = _ordered_call(function, scope)
    else:
        call = _listed_call(function, WINDOWED, scope)
    with CatalystNode(window) as part:
        if part.kind != "WindowSpecDefinition":
            raise NotTranslated(part.kind)
        partitions = expressions(part.take("partitionSpec"), scope)
        order = sort_keys(part.take("orderSpec"), scope)
        frame, bounds = _frame(part.take("frameSpecification"), scope)
    return WindowCall(call, partitions, order, frame, bounds, distinct, condition)


def _ordered_call(function: Node, scope: Scope) -> Call:
    """Return a call of FIRST or LAST over a window, without a condition."""
    with CatalystNode(function) as part:
        part.expect(isDistinct=False, filter=None)
        part.skip("resultId")
        if object_of(part.take("mode")) != "Complete":
            raise NotTranslated(part.kind)
        return _listed_call(part.take("aggregateFunction"), WINDOWED, scope)


def _frame(
    node: Node, scope: Scope
) -> tuple[tuple[tuple[str, str], ...], tuple[Expression | None, ...]]:
    with CatalystNode(node) as part:
        if part.kind != "SpecifiedWindowFrame":
            raise NotTranslated(part.kind)
        unit = FRAMES.get(object_of(part.take("frameType")))
        if unit is None:
            raise NotTranslated("an unknown frame")
        ends = [_bound(part.take(name), unit, scope) for name in ("lower", "upper")]
    names = ("start", "end", "exclude_clause")
    kinds = [*(kind for kind, _ in ends), "NO_OTHER"]
    frame = tuple((name, canonical(kind)) for name, kind in zip(names, kinds, strict=True))
    return frame, tuple(bound for _, bound in ends)


def _bound(node: Node, unit: str, scope: Scope) -> tuple[str, Expression | None]:
    kind = kind_of(node)
    if kind in ("UnboundedPreceding$", "UnboundedFollowing$"):
        return kind.removesuffix("$"), None
    if kind == "CurrentRow$":
        return f"CURRENT_{unit}", None
    return f"EXPR_{unit}", expression(node, scope)


def _cast(made: Call, scope: Scope) -> Expression:
    """Return a cast, or only its argument if the types are the same.

    Spark reads a string such as ``12:30`` as a time on the current day, and the constants ``now``
    and ``today`` according to the clock.
    """
    (child,) = made.arguments
    type_ = _type_of(child, scope)
    if type_ == made.type:
        return child
    if "string" in type_ and ("date" in made.type or "timestamp" in made.type):
        dated = isinstance(child, Constant) and DATED.match(child.value)
        read = isinstance(child, ColumnReference) and not TIME.search(made.type)
        if not (dated or read):
            scope.varies.append("a text may be a time of the current day")
    return made


def _sort_key(node: Node, scope: Scope) -> SortKey:
    with CatalystNode(node) as part:
        if part.kind != "SortOrder":
            raise NotTranslated(part.kind)
        part.expect(sameOrderExpressions=[])
        way, nulls = object_of(part.take("direction")), object_of(part.take("nullOrdering"))
        if way not in ("Ascending", "Descending") or nulls not in ("NullsFirst", "NullsLast"):
            raise NotTranslated(f"an order that is {way} {nulls}")
        made = expression(part.take("child"), scope)
        return SortKey(made, way == "Descending", nulls == "NullsFirst")


def _listed_call(node: Node, listed: Mapping[str, str], scope: Scope) -> Call:
    with CatalystNode(node) as part:
        if part.kind not in listed:
            raise NotTranslated(f"the function {_shown(node)}")
        return _call(listed[part.kind], part, scope)


def _call(name: str, part: CatalystNode, scope: Scope) -> Call:
    """Return a call with all fields of a node: expressions as arguments, all others as options."""
    made: list[Expression] = []
    places, options = [], []
    for argument, value in part.rest():
        if is_node(value):
            places.append(argument)
            made.append(expression(value, scope))
        elif isinstance(value, list) and value and all(map(is_node, value)):
            places.append(f"{argument} {len(value)}")
            made += expressions(value, scope)
        else:
            options.append((argument, readable(value)))
    types = [_type_of(each, scope) for each in made]
    read = [("arguments", canonical(types)), ("places", canonical(places)), *options]
    return Call(name, catalyst_type(part.type), tuple(made), tuple(sorted(read)))


def _type_of(made: Expression, scope: Scope) -> str:
    return scope.columns[made.position].type if isinstance(made, ColumnReference) else made.type


def _reference(part: CatalystNode, scope: Scope) -> Expression:
    part.skip("name", "metadata", "further argument 1")  # names, where Spark found them
    part.skip("nullable")  # the operator below has the column's
    part.expect(dataType=part.type)
    return scope.reference(str(part.take("further argument 0")), catalyst_type(part.type))


def _alias(part: CatalystNode, scope: Scope) -> Expression:
    part.skip("name", *(f"further argument {at}" for at in range(4)))
    return expression(part.take("child"), scope)


def _literal(part: CatalystNode, scope: Scope) -> Expression:
    part.expect(dataType=part.type)
    return constant(part.take("value"), part.type)


def constant(value: Any, type_: Any) -> Constant:
    """Return a constant. Raises NotTranslated if it is not of an atomic type."""
    if not isinstance(type_, str) or isinstance(value, dict | list):
        raise NotTranslated(f"a constant of the type {type_}")
    return Constant(catalyst_type(type_), canonical(value))


def _case(part: CatalystNode, scope: Scope) -> Expression:
    made: list[Expression] = []
    for branch in part.take("branches"):
        made += expressions([branch["fields"]["_1"], branch["fields"]["_2"]], scope)
    if (otherwise := part.take("elseValue")) is not None:
        made.append(expression(otherwise, scope))
    return Call("CASE", catalyst_type(part.type), tuple(made))


def _with(part: CatalystNode, scope: Scope) -> Expression:
    """Return an expression in which shared expressions replace the references to them."""
    for each in part.take("defs"):
        with CatalystNode(each) as shared:
            if shared.kind != "CommonExpressionDef":
                raise NotTranslated(shared.kind)
            made = expression(shared.take("child"), scope)
            scope.shared[readable(shared.take("id"))] = made
    return expression(part.take("child"), scope)


def _shared(part: CatalystNode, scope: Scope) -> Expression:
    number = readable(part.take("id"))
    part.skip("nullable")
    part.expect(dataType=part.type)
    if number not in scope.shared or _type_of(scope.shared[number], scope) != catalyst_type(
        part.type
    ):
        raise NotTranslated("a part of an expression that is defined elsewhere")
    return scope.shared[number]


def _static(part: CatalystNode, scope: Scope) -> Expression:
    called = part.take("staticObject").get("class"), part.take("functionName")
    part.expect(isDeterministic=True, scalarFunction=None, dataType=part.type)
    if called not in STATIC:
        raise NotTranslated(f"the method {called[1]}")
    return _call(called[1], part, scope)


def _python(part: CatalystNode, scope: Scope) -> Expression:
    """Return a call of a Python function, including everything on which its value depends."""
    name, function = part.take("name"), part.take("func")
    part.skip("resultId")
    part.expect(dataType=part.type)
    facts = scope.functions.get(function["python"])
    if facts is None or facts.problem or function["broadcasts"]:
        problem = facts.problem if facts else "it was not read in the program that defines it"
        raise NotTranslated(f"the Python function {name}: {problem or 'it uses a broadcast'}")
    kind, said = part.take("evalType"), part.take("udfDeterministic")
    if kind not in PYTHON_BY_ROW:
        raise NotTranslated(f"the Python function {name}, which is not called for each row")
    if not (facts.deterministic and said):
        scope.varies.append(f"the Python function {name} is not declared deterministic")
    read = ("python", "executable")  # the digest is that of the driver's Python, where it runs too
    options = {name: canonical(value) for name, value in function.items() if name not in read}
    options |= {"digest": facts.digest, "kind": str(kind)}
    arguments = expressions(part.take("children"), scope)
    return Call("PYTHON", catalyst_type(part.type), arguments, tuple(sorted(options.items())))


def _shown(node: Node) -> str:
    """Return the name of a function for messages."""
    name = node["fields"].get("name") or node["fields"].get("udfName")
    return str(name) if isinstance(name, str) else kind_of(node).rsplit(".", 1)[-1]


TRANSLATED: Mapping[str, Any] = {
    "AttributeReference": _reference,
    "Alias": _alias,
    "Literal": _literal,
    "CaseWhen": _case,
    "With": _with,
    "CommonExpressionRef": _shared,
    "objects.StaticInvoke": _static,
    "PythonUDF": _python,
}

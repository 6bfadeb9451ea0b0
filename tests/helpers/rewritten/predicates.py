"""Rules for conditions and expressions: order and notation."""

from random import Random

from sqlglot import exp

from .schema import Schema
from .select_parts import COMPARISONS, conjuncts, selects, set_conjuncts, sources

FLIPPED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.LT: exp.GT, exp.GT: exp.LT,
    exp.LTE: exp.GTE, exp.GTE: exp.LTE,
}  # fmt: skip
OPPOSITE: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GT: exp.LTE,
    exp.LTE: exp.GT, exp.GTE: exp.LT,
}  # fmt: skip


def order_of_conditions(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """AND and OR do not depend on the order of their arguments."""
    done = False
    for kind in (exp.And, exp.Or):
        for found in list(tree.find_all(kind)):
            if isinstance(found.parent, kind):
                continue
            parts = [each.copy() for each in found.flatten(unnest=False)]
            made = parts[-1]
            for part in parts[:-1]:
                made = kind(this=made, expression=part)
            found.replace(made)
            done = True
    return done


def sides_of_comparisons(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A comparison may be written with its sides exchanged."""
    found = list(tree.find_all(*COMPARISONS))
    for each in found:
        if source.random() < 0.7:
            one, other = each.this.copy(), each.expression.copy()
            each.replace(FLIPPED[type(each)](this=other, expression=one))
    return bool(found)


def between_as_comparisons(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """BETWEEN is two comparisons."""
    found = [each for each in tree.find_all(exp.Between) if not each.args.get("symmetric")]
    for each in found:
        low = exp.GTE(this=each.this.copy(), expression=each.args["low"].copy())
        high = exp.LTE(this=each.this.copy(), expression=each.args["high"].copy())
        each.replace(exp.paren(exp.And(this=low, expression=high), copy=False))
    return bool(found)


def list_as_or(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """IN with a list is equality with one of its values."""
    found = [each for each in tree.find_all(exp.In) if each.expressions]
    for each in found:
        equal = [exp.EQ(this=each.this.copy(), expression=v.copy()) for v in each.expressions]
        each.replace(exp.paren(exp.or_(*equal, copy=False), copy=False))
    return bool(found)


def comparison_as_not(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A comparison is the negation of the opposite comparison."""
    found = [each for each in tree.find_all(*COMPARISONS) if source.random() < 0.3]
    for each in found:
        opposite = OPPOSITE[type(each)](this=each.this.copy(), expression=each.expression.copy())
        each.replace(exp.paren(exp.Not(this=exp.paren(opposite, copy=False)), copy=False))
    return bool(found)


def predicate_repeated(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """If two columns are equal, a comparison of one with a literal holds for the other, too."""
    for select in selects(tree, source):
        types = _types(select, schema)
        parts = conjuncts(select)
        for equal in parts:
            for one, other in _sides(equal):
                if types.get(one.sql()) != types.get(other.sql()) or one.sql() not in types:
                    continue
                for part in parts:
                    if _is_of(part, one) and sources(select):
                        moved = part.copy().transform(
                            lambda node, one=one, other=other: other.copy() if node == one else node
                        )
                        if moved not in parts:
                            set_conjuncts(select, [*parts, moved])
                            return True
    return False


def _types(select: exp.Select, schema: Schema) -> dict[str, str]:
    return {
        f"{name}.{column}": type_
        for name, node in sources(select).items()
        if isinstance(node, exp.Table)
        for column, type_ in schema.columns.get(node.name, {}).items()
    }


def _sides(equal: exp.Expr) -> list[tuple[exp.Column, exp.Column]]:
    if not isinstance(equal, exp.EQ):
        return []
    one, other = equal.this, equal.expression
    both = isinstance(one, exp.Column) and isinstance(other, exp.Column)
    return [(one, other), (other, one)] if both else []


def _is_of(part: exp.Expr, one: exp.Column) -> bool:
    """Return whether a condition reads exactly one column and no query."""
    plain = isinstance(part, (*COMPARISONS, exp.In, exp.Between, exp.Like, exp.EQ))
    columns = set(part.find_all(exp.Column))
    return plain and columns == {one} and part.find(exp.Query) is None


def coalesce_as_case(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """COALESCE of two values is a CASE."""
    found = [each for each in tree.find_all(exp.Coalesce) if len(each.expressions) == 1]
    for each in found:
        there = exp.Not(this=exp.Is(this=each.this.copy(), expression=exp.null()))
        made = exp.Case().when(there, each.this.copy()).else_(each.expressions[0].copy())
        each.replace(made)
    return bool(found)


def case_of_value(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """A CASE of a value is a CASE that compares the value in each branch."""
    found = [each for each in tree.find_all(exp.Case) if each.this]
    for each in found:
        value = each.this
        for branch in each.args["ifs"]:
            branch.set("this", exp.EQ(this=value.copy(), expression=branch.this.copy()))
        each.set("this", None)
    return bool(found)


def commuted(tree: exp.Query, source: Random, schema: Schema) -> bool:
    """The factors of a product may be exchanged."""
    found = [each for each in tree.find_all(exp.Mul) if not each.find(exp.Interval)]
    for each in found:
        one, other = each.this.copy(), each.expression.copy()
        each.replace(exp.Mul(this=exp.paren(other), expression=exp.paren(one)))
    return bool(found)

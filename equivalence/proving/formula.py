"""Formulas over the values of rows, interned: equal formulas are one object.

The constructors simplify. Sums of numbers are polynomials in a normal form. ``and`` and ``or`` are
flat, without duplicates and without parts whose value follows from the other parts; negations are
moved inside of them. ``a < b`` is ``not (b <= a)``. A formula may contain two kinds of nodes over a
sum of terms (``terms``): ``exists`` and ``aggregate``.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

Sort = Literal["bool", "int", "real"]
COMMUTED = "commuted "
"""The prefix of the names of functions whose two arguments are interchangeable."""


class Formula:
    """A node: an operator and its arguments, which are formulas or plain values."""

    __slots__ = ("arguments", "depth", "operator", "serial", "sort", "symbols")

    def __init__(self, operator: str, sort: Sort, arguments: tuple[Any, ...], serial: int) -> None:
        self.operator, self.sort, self.arguments, self.serial = operator, sort, arguments, serial
        below = [each for each in arguments if isinstance(each, Formula)]
        bodies = [
            term for each in arguments if isinstance(each, tuple) for term in each
            if hasattr(term, "symbols")
        ]  # fmt: skip
        self.symbols: frozenset[Formula] = frozenset().union(
            *(each.symbols for each in (*below, *bodies))
        )
        self.depth: int = max((each.depth for each in (*below, *bodies)), default=0)
        if operator == "symbol":
            self.symbols = frozenset((self,))
        if operator in ("exists", "aggregate"):
            self.depth += 1
            bound = {each for term in bodies for each in term.bound}
            self.symbols -= bound

    def __repr__(self) -> str:
        if self.operator in ("symbol", "number"):
            return str(self.arguments[0])
        return f"{self.operator}({', '.join(map(repr, self.arguments))})"


class OutOfSteps(Exception):
    """The error for a proof that has exceeded its budget."""


WORK = 600_000
"""The number of times that a proof may create or look up a node; few TPC-DS proofs need 400,000."""
_nodes: dict[tuple[Any, ...], Formula] = {}
_work = WORK


def forget(share: int = 1) -> None:
    """Delete all formulas except the constants, so that each proof starts in the same state.

    The proof has one part in ``share`` of the budget.
    """
    global _work
    _work = WORK // share
    _nodes.clear()
    _nodes.update({("true", "bool"): TRUE, ("false", "bool"): FALSE})


def node(operator: str, sort: Sort, *arguments: Any) -> Formula:
    """Return the formula with these parts; equal parts give the same object. Raises OutOfSteps."""
    global _work
    _work -= 1
    if _work < 0:
        raise OutOfSteps
    key = (operator, sort, *arguments)
    found = _nodes.get(key)
    if found is None:
        found = _nodes[key] = Formula(operator, sort, arguments, len(_nodes))
    return found


TRUE = node("true", "bool")
FALSE = node("false", "bool")


def symbol(name: str, sort: Sort) -> Formula:
    """Return a variable."""
    return node("symbol", sort, name)


def number(value: Fraction | int, sort: Sort) -> Formula:
    """Return a constant."""
    return node("number", sort, Fraction(value))


def zero(sort: Sort) -> Formula:
    """Return the formula that stands for the value of a NULL."""
    return FALSE if sort == "bool" else number(0, sort)


def not_(one: Formula) -> Formula:
    """Return the negation."""
    if one is TRUE:
        return FALSE
    if one is FALSE:
        return TRUE
    if one.operator in ("and", "or"):
        return (or_ if one.operator == "and" else and_)(*map(not_, one.arguments))
    return one.arguments[0] if one.operator == "not" else node("not", "bool", one)


def and_(*parts: Formula) -> Formula:
    """Return the conjunction."""
    return _junction("and", parts, TRUE, FALSE)


def or_(*parts: Formula) -> Formula:
    """Return the disjunction."""
    return _junction("or", parts, FALSE, TRUE)


def _junction(name: str, parts: Sequence[Formula], none: Formula, end: Formula) -> Formula:
    flat: dict[Formula, None] = {}
    for each in parts:
        flat.update(dict.fromkeys(each.arguments if each.operator == name else (each,)))
    flat.pop(none, None)
    if end in flat or any(each.operator == "not" and each.arguments[0] in flat for each in flat):
        return end
    dual = "or" if name == "and" else "and"
    kept = [e for e in flat if e.operator != dual or not flat.keys() & set(e.arguments)]
    kept = _absorbed(kept, dual)
    inner = [_left(each, flat) if each.operator == dual else each for each in kept]
    if inner != kept:
        return _junction(name, inner, none, end)
    if not kept:
        return none
    return kept[0] if len(kept) == 1 else node(name, "bool", *_sorted(kept))


def _absorbed(parts: list[Formula], dual: str) -> list[Formula]:
    """Return parts of an AND without each OR that has all parts of another OR, and vice versa."""
    sets = {each: set(each.arguments) for each in parts if each.operator == dual}
    if len(sets) < 2:
        return parts
    return [
        each
        for each in parts
        if each not in sets or not any(other < sets[each] for other in sets.values())
    ]


def _left(one: Formula, known: Container[Formula | None]) -> Formula:
    """Return a conjunction or disjunction without the parts whose negation is known."""
    parts = [each for each in one.arguments if not _is_negated(each, known)]
    if len(parts) == len(one.arguments):
        return one
    return or_(*parts) if one.operator == "or" else and_(*parts)


def _is_negated(one: Formula, known: Container[Formula | None]) -> bool:
    if one.operator == "not":
        return one.arguments[0] in known
    return _nodes.get(("not", "bool", one)) in known


def _sorted(parts: Iterable[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda each: each.serial)


def conjuncts(one: Formula) -> tuple[Formula, ...]:
    """Return the conjuncts of a formula."""
    if one is TRUE:
        return ()
    return one.arguments if one.operator == "and" else (one,)


def implied(one: Formula, other: Formula) -> Formula:
    """Return the formula that ``one`` implies ``other``."""
    return or_(not_(one), other)


def ite(condition: Formula, then: Formula, otherwise: Formula) -> Formula:
    """Return ``then`` if the condition is true, and ``otherwise`` if it is false."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if then.sort == "bool":
        return or_(and_(condition, then), and_(not_(condition), otherwise))
    if condition.operator == "not":
        return ite(condition.arguments[0], otherwise, then)
    return node("ite", then.sort, condition, then, otherwise)


def call(name: str, sort: Sort, arguments: Sequence[Formula]) -> Formula:
    """Return the value of a function that is known only by name.

    If the name begins with ``COMMUTED``, the order of the arguments does not matter.
    """
    listed = _sorted(arguments) if name.startswith(COMMUTED) else arguments
    return node("call", sort, name, *listed)


Monomial = tuple[Formula, ...]
Polynomial = dict[Monomial, Fraction]


def polynomial(one: Formula) -> Polynomial:
    """Return a number as a polynomial: products with their coefficients."""
    if one.operator == "number":
        return {(): one.arguments[0]} if one.arguments[0] else {}
    if one.operator == "sum":
        return dict(one.arguments[0])
    return {(one,): Fraction(1)}


def from_polynomial(terms: Polynomial, sort: Sort) -> Formula:
    """Return the number that a polynomial represents."""
    kept = {product: factor for product, factor in terms.items() if factor}
    if not kept:
        return number(0, sort)
    ((product, factor), *more) = kept.items()
    if not more and not product:
        return number(factor, sort)
    if not more and factor == 1 and len(product) == 1:
        return product[0]
    listed = sorted(kept.items(), key=lambda each: tuple(f.serial for f in each[0]))
    return _sum(tuple(listed), sort)


def _sum(listed: tuple[tuple[Monomial, Fraction], ...], sort: Sort) -> Formula:
    key = ("sum", sort, listed)
    found = _nodes.get(key)
    if found is None:
        found = _nodes[key] = Formula("sum", sort, (listed,), len(_nodes))
        inner = [factor for product, _ in listed for factor in product]
        found.symbols = frozenset().union(*(each.symbols for each in inner))
        found.depth = max((each.depth for each in inner), default=0)
    return found


def add(one: Formula, other: Formula, factor: Fraction | int = 1) -> Formula:
    """Return ``one + factor * other``."""
    made = polynomial(one)
    for product, each in polynomial(other).items():
        made[product] = made.get(product, Fraction(0)) + each * factor
    return from_polynomial(made, one.sort)


def multiply(one: Formula, other: Formula) -> Formula:
    """Return the expanded product."""
    made: Polynomial = {}
    for left, factor in polynomial(one).items():
        for right, by in polynomial(other).items():
            product = tuple(_sorted((*left, *right)))
            made[product] = made.get(product, Fraction(0)) + factor * by
    return from_polynomial(made, one.sort)


def to_real(one: Formula) -> Formula:
    """Convert an integer to a real number."""
    if one.sort == "real":
        return one
    if one.operator == "ite":
        condition, then, otherwise = one.arguments
        return ite(condition, to_real(then), to_real(otherwise))
    made: Polynomial = {}
    for product, factor in polynomial(one).items():
        real = tuple(_sorted(node("to_real", "real", each) for each in product))
        made[real] = made.get(real, Fraction(0)) + factor
    return from_polynomial(made, "real")


def eq(one: Formula, other: Formula) -> Formula:
    """Return the formula that two values are the same."""
    if one is other:
        return TRUE
    if one.sort == "bool":
        return _same_truth(one, other)
    for first, second in ((one, other), (other, one)):
        if first.operator == "ite" and second.operator == "number":
            condition, then, otherwise = first.arguments
            if {then.operator, otherwise.operator} == {"number"}:
                return ite(condition, eq(then, second), eq(otherwise, second))
    sides = _compared(one, other)
    if sides is None:
        return FALSE
    left, right, _ = sides
    if left.operator == right.operator == "number":
        return TRUE if left is right else FALSE
    return node("eq", "bool", left, right)


def _same_truth(one: Formula, other: Formula) -> Formula:
    for first, second in ((one, other), (other, one)):
        if first is TRUE:
            return second
        if first is FALSE:
            return not_(second)
    if not_(one) is other:
        return FALSE
    first, second = _sorted((one, other))
    return node("eq", "bool", first, second)


def le(one: Formula, other: Formula) -> Formula:
    """Return the formula that a number is less than or equal to another."""
    for first, second in ((one, other), (other, one)):
        if first.operator == "ite" and second.operator == "number":
            condition, then, otherwise = first.arguments
            if {then.operator, otherwise.operator} == {"number"}:
                pairs = [(e, second) if first is one else (second, e) for e in (then, otherwise)]
                return ite(condition, le(*pairs[0]), le(*pairs[1]))
    left, right, turned = _compared(one, other) or (one, other, False)
    if left.operator == right.operator == "number":
        value = left.arguments[0] - right.arguments[0]
        return TRUE if value == 0 or (value < 0) != turned else FALSE
    return node("le", "bool", *((right, left) if turned else (left, right)))


def lt(one: Formula, other: Formula) -> Formula:
    """Return the formula that a number is less than another."""
    return not_(le(other, one))


def _compared(one: Formula, other: Formula) -> tuple[Formula, Formula, bool] | None:
    """Return both sides of a comparison, with a single product on the left.

    The third value states whether both sides were multiplied by a negative number. None means that
    integers cannot be equal.
    """
    terms = polynomial(add(one, other, -1))
    products = sorted((p for p in terms if p), key=lambda each: tuple(f.serial for f in each))
    if not products:
        return number(terms.get((), Fraction(0)), one.sort), number(0, one.sort), False
    first = products[0]
    factor = terms.pop(first)
    rest = {product: -each / factor for product, each in terms.items()}
    if one.sort == "int" and any(each.denominator != 1 for each in rest.values()):
        if set(rest) == {()}:
            return None
        rest = {product: -each for product, each in terms.items()}
        left = from_polynomial({first: factor}, "int")
        return left, from_polynomial(rest, "int"), False
    left = from_polynomial({first: Fraction(1)}, one.sort)
    return left, from_polynomial(rest, one.sort), factor < 0


Rebuilder = Callable[..., Formula]
_REBUILT: Mapping[str, Rebuilder] = {
    "not": not_, "and": and_, "or": or_, "ite": ite, "eq": eq, "le": le, "to_real": to_real,
}  # fmt: skip


def rebuild(one: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return a formula whose arguments were changed by ``change``; nodes over terms are kept."""
    if one.operator == "sum":
        made = number(0, one.sort)
        for product, factor in one.arguments[0]:
            value = number(factor, one.sort)
            for each in product:
                value = multiply(value, change(each))
            made = add(made, value)
        return made
    if one.operator == "call":
        name, *arguments = one.arguments
        return call(name, one.sort, [change(each) for each in arguments])
    if one.operator in _REBUILT:
        return _REBUILT[one.operator](*map(change, one.arguments))
    return one


def parts(one: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly below a formula, without the arguments of nodes over terms."""
    if one.operator == "sum":
        return tuple(factor for product, _ in one.arguments[0] for factor in product)
    if one.operator in _REBUILT or one.operator == "call":
        return tuple(each for each in one.arguments if isinstance(each, Formula))
    return ()


def nodes_over_terms(*formulas: Formula) -> list[Formula]:
    """Return the outermost ``exists`` and ``aggregate`` nodes in formulas."""
    found: dict[Formula, None] = {}
    seen: set[Formula] = set()
    waiting = list(reversed(formulas))
    while waiting:
        each = waiting.pop()
        if each in seen or not each.depth:
            continue
        seen.add(each)
        if each.operator in ("exists", "aggregate"):
            found[each] = None
        waiting += reversed(parts(each))
    return list(found)

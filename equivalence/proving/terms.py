"""Operations on terms: substitution, names of bound symbols, squash and aggregates.

Nodes over terms are simplified when they are created: a squash becomes a conjunction of connected
parts, and a sum or a count becomes a polynomial of the sums or counts of single products.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from . import formula
from .atoms import Atom, Mapped, SqlValue, TableAtom, Term, Terms, flat, fresh, with_bodies
from .formula import (
    FALSE,
    TRUE,
    Formula,
    Sort,
    add,
    and_,
    conjuncts,
    ite,
    multiply,
    node,
    not_,
    number,
    or_,
    polynomial,
    rebuild,
    symbol,
    to_real,
    zero,
)

ONLY = "only"
"""The aggregate that is the value of the only row; the row exists at most once."""


def is_set(name: str) -> bool:
    """Return whether an aggregate depends only on the set of distinct values."""
    return name in ("min", "max", "bool_and", "bool_or", ONLY)


# -- substitution


def substitute(one: Formula, mapping: Mapped) -> Formula:
    """Return a formula in which symbols are replaced."""
    done: dict[Formula, Formula] = {}
    keys = mapping.keys()

    def changed(each: Formula) -> Formula:
        if keys.isdisjoint(each.symbols):
            return each
        found = done.get(each)
        if found is None:
            found = done[each] = _changed(each)
        return found

    def _changed(each: Formula) -> Formula:
        if each.operator == "symbol":
            return mapping[each]
        if each.operator in ("exists", "aggregate"):
            terms = [_substituted_closed(term, mapping) for term in each.arguments[-1]]
            return over_terms(each, terms, changed)
        return rebuild(each, changed)

    return changed(one)


def over_terms(one: Formula, terms: Sequence[Term], change: "Change") -> Formula:
    """Return an ``exists`` or ``aggregate`` with other terms, and its other arguments changed."""
    if one.operator == "exists":
        return exists(terms)
    name, *current, _ = one.arguments
    if current:
        return window(name, one.sort, list(map(change, current)), terms)
    return aggregate(name, one.sort, terms)


def substituted(term: Term, mapping: Mapped) -> Term:
    """Return a term in which symbols are replaced, including the columns of its atoms."""
    if not mapping:
        return term
    return Term(
        tuple(_substituted_atom(each, mapping) for each in term.atoms),
        substitute(term.condition, mapping),
        substituted_values(term.outputs, mapping),
    )


def substituted_values(values: Sequence[SqlValue], mapping: Mapped) -> tuple[SqlValue, ...]:
    """Return values in which symbols are replaced."""
    return tuple(
        SqlValue(substitute(null, mapping), substitute(value, mapping)) for null, value in values
    )


def _substituted_atom(atom: Atom, mapping: Mapped) -> Atom:
    keys = mapping.keys()
    if keys.isdisjoint(atom.bound) and keys.isdisjoint(atom.free):
        return atom
    columns = substituted_values(atom.columns, mapping)
    if isinstance(atom, TableAtom):
        return TableAtom(atom.table, columns)
    bodies = tuple(
        tuple(closed(_substituted_closed(t, mapping)) if not keys.isdisjoint(t.symbols) else t
              for t in body)
        for body in atom.bodies
    )  # fmt: skip
    return with_bodies(atom, bodies, columns)


def _substituted_closed(term: Term, mapping: Mapped) -> Term:
    """Return a closed term with replaced symbols; it keeps its own symbols if they cannot clash."""
    own = {each: mapping[each] for each in term.symbols if each in mapping}
    depth = term.depth + 1
    if any(_is_closed(each, depth) for value in own.values() for each in value.symbols):
        term = opened(term)
    return substituted(term, own)


def _is_closed(one: Formula, depth: int) -> bool:
    """Return whether a symbol may belong to a closed term of the given depth, or to terms in it."""
    place, point, _ = one.arguments[0].partition(".")
    return bool(point) and int(place) <= depth


def opened(term: Term) -> Term:
    """Return a term with unused symbols for its atoms."""
    return substituted(term, {each: fresh(each.sort) for each in _in_order(term)})


def closed(term: Term) -> Term:
    """Return a term whose atoms' symbols are named by depth and position.

    Terms that differ only in the names of symbols become the same term. No symbol is captured,
    because nested terms have other depths, and a term is opened before anything is inserted into
    it.
    """
    term = replace(term, atoms=tuple(sorted(term.atoms, key=_rank)))
    depth = term.depth + 1
    names = {e: symbol(f"{depth}.{at}", e.sort) for at, e in enumerate(_in_order(term))}
    changed = {each: name for each, name in names.items() if each is not name}
    return substituted(term, changed)


def closed_all(terms: Iterable[Term]) -> Terms:
    """Return a sum whose symbols are named by depth and position."""
    return tuple(map(closed, terms))


def _in_order(term: Term) -> list[Formula]:
    found = (each for atom in term.atoms for each in flat(atom.columns))
    return list(dict.fromkeys(each for each in found if each.operator == "symbol"))


def _rank(atom: Atom) -> tuple[str, tuple[str, ...]]:
    return type(atom).__name__, getattr(atom, "table", ())


# -- squash


def exists(terms: Iterable[Term]) -> Formula:
    """Return the formula that a sum has a row: a disjunction over its connected terms."""
    return or_(*map(_exists, terms))


def joined(term: Term) -> Term:
    """In a term of a set, turn each condition that a row exists into a join with this row."""
    parts = conjuncts(term.condition)
    inner = [opened(each.arguments[0][0]) for each in parts if each.operator == "exists"]
    if not inner:
        return term
    atoms = [atom for each in inner for atom in each.atoms]
    rest = [each for each in parts if each.operator != "exists"]
    condition = and_(*rest, *(each.condition for each in inner))
    return joined(Term((*term.atoms, *atoms), condition, term.outputs))


def _exists(term: Term) -> Formula:
    found = []
    for component in components(joined(replace(term, outputs=()))):
        if component.atoms and component.condition is not FALSE:
            found.append(node("exists", "bool", (closed(component),)))
        else:
            found.append(component.condition)
    return and_(*found)


def components(term: Term, together: frozenset[Formula] = frozenset()) -> list[Term]:
    """Return a term without outputs as a product of terms that share no symbols.

    Conditions that depend on no atom are in a separate term. The symbols in ``together`` stay in
    one term.
    """
    groups: list[tuple[set[Formula], list[Atom], list[Formula]]] = [
        (set(atom.bound), [atom], []) for atom in term.atoms
    ]
    alone: list[Formula] = []
    linked = [(each.symbols & term.bound, each) for each in conjuncts(term.condition)]
    linked += [(together & term.bound, TRUE)] if together else []
    linked += [(frozenset(atom.free | atom.bound) & term.bound, TRUE) for atom in term.atoms]
    for used, condition in linked:
        hit = [each for each in groups if not each[0].isdisjoint(used)]
        if not used or not hit:
            alone.append(condition)
            continue
        for other in hit[1:]:
            hit[0][0].update(other[0])
            hit[0][1].extend(other[1])
            hit[0][2].extend(other[2])
            groups.remove(other)
        hit[0][2].append(condition)
    made = [Term(tuple(atoms), and_(*listed)) for _, atoms, listed in groups]
    return [Term((), and_(*alone)), *made] if alone else made


# -- aggregates


def is_count(one: Formula) -> bool:
    """Return whether a formula is the row count of a sum."""
    return one.operator == "aggregate" and bool(one.arguments[0] == "count")


def counted(one: Formula) -> Formula:
    """Return the formula that a count node counts at least one row; true for any other node."""
    return exists(map(opened, one.arguments[-1])) if is_count(one) else TRUE


def aggregate(name: str, sort: Sort, terms: Sequence[Term]) -> Formula:
    """Return the aggregate of the only output of a sum. The output is never NULL.

    If there are no rows, a count is 0, and all other aggregates are ``zero``; another formula
    states whether they are NULL.
    """
    terms = [each for each in terms if each.condition is not FALSE]
    if name == "count":
        return _added("int", [_count(each) for each in terms])
    if name == "sum":
        return _added(sort, [_total(each, sort) for each in terms])
    terms = [each for term in terms for each in _split(term)]
    if is_set(name):
        terms = [each for term in terms for each in _nested(term, name)]
    if not terms:
        return zero(sort)
    if len(terms) == 1:
        (term,) = terms
        value = term.outputs[0].value
        if is_set(name) and value.symbols.isdisjoint(term.bound):
            return ite(exists([replace(term, outputs=())]), value, zero(sort))
        if name.startswith("avg") and not term.atoms:
            return ite(term.condition, call(f"{name} of one", sort, value), zero(sort))
    return node("aggregate", sort, name, tuple(sorted(closed_all(terms), key=_serial)))


def call(name: str, sort: Sort, *arguments: Formula) -> Formula:
    """Return the value of a function that is known only by name."""
    return formula.call(name, sort, arguments)


def _serial(term: Term) -> tuple[int, ...]:
    return term.condition.serial, *(each.serial for each in flat(term.outputs))


def _nested(term: Term, name: str) -> list[Term]:
    """Flatten a nested aggregate of the same kind, such as the minimum of minimums."""
    value = term.outputs[0].value
    if value.operator != "aggregate" or value.arguments[0] != name:
        return [term]
    found = [opened(each) for each in value.arguments[1]]
    return [
        Term((*term.atoms, *e.atoms), and_(term.condition, e.condition), e.outputs) for e in found
    ]


def _added(sort: Sort, found: Sequence[Formula]) -> Formula:
    made = number(0, sort)
    for each in found:
        made = add(made, each)
    return made


def _count(term: Term) -> Formula:
    """Return the number of rows of a term, as the product of its components' counts."""
    value, condition = number(1, "int"), TRUE
    for component in components(replace(term, outputs=())):
        if component.atoms:
            value = multiply(value, node("aggregate", "int", "count", (closed(component),)))
        else:
            condition = and_(condition, component.condition)
    return ite(condition, value, number(0, "int"))


def _outside(term: Term) -> tuple[Term, Formula]:
    """Split off the conditions that do not depend on a term's atoms; return the rest, and them."""
    kept: list[Formula] = []
    outside: list[Formula] = []
    for each in conjuncts(term.condition):
        (outside if each.symbols.isdisjoint(term.bound) else kept).append(each)
    return replace(term, condition=and_(*kept)), and_(*outside)


def _split(term: Term) -> list[Term]:
    """Split a term into several, so that no output is a choice between values."""
    (output,) = term.outputs
    choice = _choice(output.value)
    if choice is None:
        return [term] if term.condition is not FALSE else []
    condition, then, otherwise = choice
    pairs = ((condition, then), (not_(condition), otherwise))
    made = [replace(term.where(c), outputs=(SqlValue(FALSE, v),)) for c, v in pairs]
    return [each for one in made for each in _split(one)]


def _choice(value: Formula) -> tuple[Formula, Formula, Formula] | None:
    if value.operator == "ite":
        condition, then, otherwise = value.arguments
        return condition, then, otherwise
    if value.operator == "sum" and len(value.arguments[0]) == 1:
        ((product, factor),) = value.arguments[0]
        for at, each in enumerate(product):
            if each.operator == "ite":
                rest = number(factor, value.sort)
                for other in (*product[:at], *product[at + 1 :]):
                    rest = multiply(rest, other)
                condition, then, otherwise = each.arguments
                return condition, multiply(rest, then), multiply(rest, otherwise)
    return None


def _total(term: Term, sort: Sort) -> Formula:
    """Return the sum of a term's output, computed product by product."""
    made = number(0, sort)
    for each in _split(term):
        inner, outside = _outside(each)
        value = number(0, sort)
        for product, factor in polynomial(inner.outputs[0].value).items():
            value = add(value, _total_of_product(inner, product, sort), factor)
        made = add(made, ite(outside, value, number(0, sort)))
    return made


def _total_of_product(term: Term, product: Sequence[Formula], sort: Sort) -> Formula:
    value, by, inner = number(1, sort), number(1, sort), None
    for each in product:
        if each.symbols.isdisjoint(term.bound):
            by = multiply(by, each)
        elif inner is None and _totalled(each):
            inner = each
        else:
            value = multiply(value, each)
    if inner is not None:
        return multiply(by, _total(_swapped(term, inner, value), sort))
    if value is number(1, sort):
        counted = _count(term)
        return multiply(by, to_real(counted) if sort == "real" else counted)
    whole = replace(term, outputs=(SqlValue(FALSE, value),))
    if _choice(value):
        return multiply(by, _total(whole, sort))
    for component in components(term, value.symbols):
        if value.symbols.isdisjoint(component.bound):
            counted = _count(component)
            by = multiply(by, to_real(counted) if sort == "real" else counted)
        else:
            whole = replace(component, outputs=(SqlValue(FALSE, value),))
    return multiply(by, node("aggregate", sort, "sum", (closed(whole),)))


def _totalled(one: Formula) -> bool:
    """Return whether a factor is itself a sum or a count."""
    inner = one.arguments[0] if one.operator == "to_real" else one
    return inner.operator == "aggregate" and inner.arguments[0] in ("sum", "count")


def _swapped(term: Term, factor: Formula, value: Formula) -> Term:
    """Return the term for a product with an inner sum: the rows of both sums are joined."""
    node_ = factor.arguments[0] if factor.operator == "to_real" else factor
    inner = opened(node_.arguments[1][0])
    if inner.outputs:
        own = inner.outputs[0].value
        value = multiply(value, to_real(own) if value.sort == "real" else own)
    condition = and_(term.condition, inner.condition)
    return Term((*term.atoms, *inner.atoms), condition, (SqlValue(FALSE, value),))


def window(name: str, sort: Sort, current: Sequence[Formula], terms: Sequence[Term]) -> Formula:
    """Return a window function's value: a function of a sum's outputs and of the current row."""
    kept = [each for each in terms if each.condition is not FALSE]
    return node("aggregate", sort, name, *current, tuple(sorted(closed_all(kept), key=_serial)))


Change = Callable[[Formula], Formula]

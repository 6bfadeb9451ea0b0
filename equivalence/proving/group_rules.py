"""Rules about distinct rows, which GROUP BY, DISTINCT and set operations return."""

from collections.abc import Sequence
from dataclasses import replace

from .atoms import Atom, DistinctAtom, Mapped, SqlValue, TableAtom, Term, fresh, fresh_value, same
from .formula import FALSE, Formula, and_, conjuncts, nodes_over_terms, not_
from .key_rules import KeyRules
from .known_facts import Context
from .mapping import columns_mapped, in_place_of, symbols_of, values_mapped, without
from .schema import ForeignKey, Schema
from .solver import Solver
from .sql_values import sort_of
from .terms import closed, closed_all, exists, opened, substitute, substituted, substituted_values


class GroupRules:
    """The rules, with the solver and the tables of one proof."""

    def __init__(self, solver: Solver, schema: Schema, keys: KeyRules) -> None:
        self._solver, self._schema, self._keys = solver, schema, keys

    def counted_once(self, term: Term, known: Context) -> list[Term] | None:
        """Replace a distinct row by a row of its sum if the sum cannot contain a row twice."""
        for atom in term.atoms:
            if isinstance(atom, DistinctAtom) and self._is_set(atom):
                return [in_place_of(term, atom, opened(each)) for each in atom.body]
        return None

    def _is_set(self, atom: DistinctAtom) -> bool:
        if len(atom.body) != 1:
            return False
        term = opened(atom.body[0])
        return self._keys.determined(term, term.outputs)

    def pushed(self, term: Term, known: Context) -> list[Term] | None:
        """Move a condition on only one distinct row to the rows from which this row comes."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom):
                continue
            parts = conjuncts(term.condition)
            own = [e for e in parts if e.symbols and e.symbols <= atom.bound and _pushable(e)]
            if not own:
                continue
            body = [opened(each) for each in atom.body]
            body = [_restricted(each, atom, own) for each in body]
            narrowed = DistinctAtom(
                closed_all(e for e in body if e.condition is not FALSE), atom.columns
            )
            if narrowed.body == atom.body:
                continue
            atoms = tuple(narrowed if each is atom else each for each in term.atoms)
            kept = and_(*(each for each in parts if each not in own or not each.depth))
            return [Term(atoms, kept, term.outputs)]
        return None

    def derived(self, term: Term, known: Context) -> list[Term] | None:
        """Remove a column of distinct rows if its value follows from the other columns."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom) or len(atom.body) != 1:
                continue
            body = opened(atom.body[0])
            if not atom.columns:
                rest = replace(term, atoms=without(term, atom))
                return [rest.where(exists([replace(body, outputs=())]))]
            for at, (null, value) in enumerate(body.outputs):
                back = _back(atom, body, at)
                read = value.symbols & body.bound
                if null.operator in ("true", "false") and read <= back.keys():
                    derived = SqlValue(null, substitute(value, back))
                    mapping = values_mapped(atom.columns[at : at + 1], [derived])
                    return [_narrowed(term, atom, body, [at], mapping, ())]
        return None

    def beside(self, term: Term, known: Context) -> list[Term] | None:
        """Move a table's row out of distinct rows if its key is among their columns."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom) or len(atom.body) != 1:
                continue
            body = opened(atom.body[0])
            for row in body.atoms:
                if isinstance(row, TableAtom) and (found := self._moved(term, atom, body, row)):
                    return [found]
        return None

    def referring(self, term: Term, known: Context) -> list[Term] | None:
        """Replace distinct values of a foreign key by the keys of the rows that they reference."""
        for atom in term.atoms:
            if not isinstance(atom, DistinctAtom) or len(atom.body) != 1:
                continue
            body = opened(atom.body[0])
            for row in body.atoms:
                if not isinstance(row, TableAtom):
                    continue
                known_table = self._schema.tables[row.table]
                for key in known_table.foreign:
                    if any(getattr(each, "table", ()) == key.table for each in term.atoms):
                        continue
                    given = [row.columns[at] for at in known_table.places(key.columns)]
                    places = [self._place(body, each) for each in given]
                    if sorted(p for p in places if p is not None) == list(range(len(atom.columns))):
                        return [self._referred_row(term, row, key, atom, places)]
        return None

    def _referred_row(
        self,
        term: Term,
        row: TableAtom,
        key: ForeignKey,
        atom: DistinctAtom,
        places: Sequence[int | None],
    ) -> Term:
        """Return a term with an additional row of the table that a foreign key references."""
        table = self._schema.tables[key.table]
        columns = tuple(
            fresh_value(sort_of(type_), name not in table.not_null) for name, type_ in table.columns
        )
        self._schema.foreign_used(row.table, key)
        self._schema.key_used(key.table, table.places(key.referred))
        pairs = [
            (columns[at], atom.columns[place])
            for at, place in zip(table.places(key.referred), places, strict=True)
            if place is not None
        ]
        linked = (and_(not_(one.null), same(one, other)) for one, other in pairs)
        return replace(term, atoms=(*term.atoms, TableAtom(key.table, columns))).where(*linked)

    def _moved(self, term: Term, atom: DistinctAtom, body: Term, row: TableAtom) -> Term | None:
        moved = [
            at for at, each in enumerate(body.outputs)
            if (used := symbols_of([each])) and used <= row.bound
        ]  # fmt: skip
        for key in self._keys.keys(row):
            found = [self._place(body, row.columns[at]) for at in key]
            places = [each for each in found if each is not None]
            gone = [at for at in moved if at not in places]
            if len(places) < len(key) or not gone:
                continue
            copy = TableAtom(row.table, tuple(_renamed(each) for each in row.columns))
            mapping = columns_mapped(row, copy)
            values = substituted_values([body.outputs[at] for at in gone], mapping)
            columns = [atom.columns[at] for at in gone]
            pairs = [(copy.columns[at], atom.columns[p]) for at, p in zip(key, places, strict=True)]
            self._schema.key_used(row.table, tuple(key))
            made = _narrowed(term, atom, body, gone, values_mapped(columns, values), (copy,))
            return made.where(*(and_(not_(other.null), same(one, other)) for one, other in pairs))
        return None

    def _place(self, body: Term, column: SqlValue) -> int | None:
        """Return the position, among the outputs, of a column of a key, or None."""
        for at, each in enumerate(body.outputs):
            if each.value.sort == column.value.sort and each.value.symbols:
                goal = and_(not_(column.null), same(column, each))
                if self._solver.proves(body.condition, goal):
                    return at
        return None


def _pushable(one: Formula) -> bool:
    return all(each.operator == "exists" for each in nodes_over_terms(one))


def _restricted(term: Term, atom: DistinctAtom, conditions: Sequence[Formula]) -> Term:
    mapping = values_mapped(atom.columns, term.outputs)
    return term.where(*(substitute(each, mapping) for each in conditions))


def _back(atom: DistinctAtom, body: Term, but: int) -> dict[Formula, Formula]:
    """Map the symbols that a sum outputs to its distinct row's columns, except column ``but``."""
    pairs = zip(body.outputs, atom.columns, strict=True)
    return {
        given.value: column.value
        for at, (given, column) in enumerate(pairs)
        if at != but and given.value.operator == "symbol" and given.null is FALSE
        and column.value.operator == "symbol"
    }  # fmt: skip


def _narrowed(
    term: Term,
    atom: DistinctAtom,
    body: Term,
    gone: Sequence[int],
    mapping: Mapped,
    more: Sequence[Atom],
) -> Term:
    """Return a term whose distinct rows lack the columns ``gone``, which other values replace."""
    kept = [at for at in range(len(atom.columns)) if at not in gone]
    less = closed(replace(body, outputs=tuple(body.outputs[at] for at in kept)))
    narrow = DistinctAtom((less,), tuple(atom.columns[at] for at in kept))
    rest = substituted(replace(term, atoms=without(term, atom)), mapping)
    return replace(rest, atoms=(*rest.atoms, narrow, *more))


def _renamed(column: SqlValue) -> SqlValue:
    null = column.null if column.null is FALSE else fresh("bool")
    return SqlValue(null, fresh(column.value.sort))

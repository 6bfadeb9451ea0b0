"""One of two revisions of a project: its bound models, and the keys of their tables."""

import hashlib
from dataclasses import dataclass, field

from provhouse.equivalence.keys import KnownTables, PlanKeys, TableKeys, plan_keys
from provhouse.equivalence.node_reader import canonical

from .bound_models import Binder, BoundModel
from .passed_tests import TestedColumns
from .project import Node, Project
from .table_types import Columns, TableTypes
from .undecided import why_not_by_sql


@dataclass
class Side:
    """A revision of a project, whose nodes are bound and given keys one by one."""

    project: Project
    types: TableTypes
    binder: Binder
    tested: dict[str, TestedColumns]
    known: KnownTables = field(default_factory=KnownTables)
    models: dict[str, BoundModel] = field(default_factory=dict)
    keys: dict[str, PlanKeys] = field(default_factory=dict)
    """The keys of models whose rows are determined by the tables that they read."""
    doubts: dict[str, str] = field(default_factory=dict)
    """Why reading a view twice may return different rows, by node id."""

    def bind(self, node: Node) -> BoundModel:
        """Bind a node, and add its table to the database."""
        self.models[node.id] = found = self._bound(node)
        return found

    def add_keys(self, node: Node, stored: object) -> None:
        """Set the keys of a bound node's table.

        ``stored`` identifies the rows of the table, if its query does not determine them.
        """
        found = self.models[node.id]
        doubt = why_not_by_sql(node, self.project.macros) or found.reason or self.doubt_below(found)
        if doubt or found.plan is None:
            self.add_stored(node, stored, doubt)
            return
        self.keys[node.id] = keys = plan_keys(found.plan, self.known)
        names = [name for name, _ in found.columns]
        table = TableKeys(keys.rows, dict(zip(names, keys.values, strict=True)))
        self.known.tables[self.binder.path(node)] = table

    def add_stored(self, node: Node, identity: object, doubt: str = "") -> None:
        """Set the keys of a table whose rows are identified by ``identity``.

        ``doubt`` is why reading the node twice may return different rows, if it is a view.
        """
        columns = self.models[node.id].columns
        self.known.tables[self.binder.path(node)] = stored_keys(node, identity, columns)
        if doubt and not node.stored:
            self.doubts[node.id] = doubt

    def table(self, node: Node) -> TableKeys:
        """Return the keys of a node's table."""
        return self.known.tables[self.binder.path(node)]

    def keep(self, node: Node, base: "Side") -> None:
        """Assign the base's keys to a node that has not changed."""
        self.models[node.id] = found = base.models[node.id]
        if found.columns:
            self.binder.declare(node, found.columns, base.tests(node))
        self.take_keys(node, base)
        if node.id in base.doubts:
            self.doubts[node.id] = base.doubts[node.id]

    def take_keys(self, node: Node, base: "Side") -> None:
        """Assign the base's keys to a node whose rows are equal."""
        before = base.project.nodes[node.id]
        self.known.tables[self.binder.path(node)] = base.table(before)
        if self.models[node.id].columns:
            self.binder.assume(node, base.tests(node))
        if found := base.keys.get(node.id):
            self.known.forms.update(found.below(found.rows, *found.values))
            self.keys[node.id] = found

    def tests(self, node: Node) -> TestedColumns:
        """Return the constraints that tests confirm for a node's table."""
        return self.tested.get(node.id, TestedColumns())

    def doubt_below(self, found: BoundModel) -> str:
        """Return why views that a model reads may return different rows; empty if they cannot."""
        reads = (self.doubts.get(path[1], "") for path in found.reads)
        return next(filter(None, reads), "")

    def _bound(self, node: Node) -> BoundModel:
        if not node.has_query:
            return self._declared(node)
        for needed in node.needs:
            if not self.models[needed].columns:
                name = self.project.nodes[needed].name
                return BoundModel([], None, f"the types of the columns of {name} are not known")
        return self.binder.bind(node, self.tests(node))

    def _declared(self, node: Node) -> BoundModel:
        columns = self.types.of(node)
        if columns and self.binder.declare(node, columns, self.tests(node)):
            return BoundModel(columns, None, "")
        return BoundModel([], None, "")


def stored_keys(node: Node, identity: object, columns: Columns) -> TableKeys:
    """Return the keys of a stored table, whose rows are identified by ``identity``."""
    rows = _hashed(["stored", node.id, identity])
    return TableKeys(rows, {name: _hashed([rows, name, type_]) for name, type_ in columns})


def _hashed(form: object) -> str:
    return hashlib.sha256(canonical(form).encode()).hexdigest()

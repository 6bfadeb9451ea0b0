"""Four edits of a project with four models, and the models to rebuild after each edit.

The edits are the cases of SQLMesh's issue 6062: https://github.com/SQLMesh/sqlmesh/issues/6062
"""

from dataclasses import replace

from .edit_history import Step
from .edit_project import Input, Model

RAW = """create table raw_users(id integer, email varchar, username varchar, phone varchar,
    active boolean);"""
"""The DDL of the source."""


def _model(name: str, table: str, *columns: str) -> Model:
    listed = tuple((f"x.{each}", each) for each in columns)
    return Model(name, "users", listed, (Input("x", table),))


USERS = _model("users", "raw_users", "id", "email", "username")
READERS = (_model("a", "users", "id", "email"), _model("b", "users", "id"), _model("c", "a", "id"))
EDITED = {
    "a column is added": _model("users", "raw_users", "id", "email", "username", "phone"),
    "an expression is changed": replace(
        USERS,
        columns=(("x.id", "id"), ("lower(x.email)", "email"), ("x.username", "username")),
    ),
    "an unused column is dropped": _model("users", "raw_users", "id", "email"),
    "WHERE is changed": replace(USERS, conditions=("x.active",)),
}
CHANGED = {
    "a column is added": {"users"},
    "an expression is changed": {"users", "a"},
    "an unused column is dropped": {"users"},
    "WHERE is changed": {"users", "a", "b", "c"},
}
"""The models that must be rebuilt."""


def cases() -> dict[str, Step]:
    """Return the edits by name."""
    before = (USERS, *READERS)
    return {
        name: Step(name, "users", before, (model, *READERS), frozenset(CHANGED[name]))
        for name, model in EDITED.items()
    }

"""Recognize witness queries that return all records of a table, and so need not be run."""

from sqlglot import exp

from provhouse.sql.node_marks import REF

from .row_identity import Base, Identity, WitnessQuestion
from .witness import Witness


def every_record(witness: Witness) -> int | None:
    """Return the reference of which a witness query returns all records; None if there is none."""
    body = witness.body
    clauses = {name for name, value in body.args.items() if value}
    if not isinstance(body, exp.Select) or clauses != {"expressions", "from_"}:
        return None
    source = body.args["from_"].this
    named = {name for name, value in source.args.items() if value}
    plain = all(isinstance(each.unalias(), (exp.Column, exp.Literal)) for each in body.expressions)
    if not plain or not REF.on(source) or not named <= {"this", "db", "catalog", "alias"}:
        return None
    parts = witness.identity.parts
    return parts[0].ref if len(parts) == 1 and isinstance(parts[0], Base) else None


def is_one_group(identity: Identity) -> bool:
    """Return whether each row of a query derives from all records of a table."""
    part = identity.parts[0] if len(identity.parts) == 1 else None
    if not isinstance(part, WitnessQuestion) or part.columns:
        return False
    return every_record(part.witness) is not None

"""Show the modules of a generation in Neo4j: write changed modules, and remove those that are gone.

The node of each module has a digest of all rows about the module, and the numbers of its
relationships. The module is written again only if the digest or one of these numbers no longer
matches. So a commit takes time only for changed modules, and a module whose relationships someone
has removed by hand is repaired.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

RowList = Sequence[Mapping[str, object]]
Run = Callable[..., list[Any]]
"""A function that runs one of provhouse's statements and returns the first column of its result."""

MODULES, INVOCATIONS = "modules", "invocations"
_NUMBER = "number"
_SHOWN = (_NUMBER, "module", "name", "run", "execution", "invocation", "triples")


def show_modules(run: Run, rows: Mapping[str, RowList]) -> None:
    """Write the rows about modules.

    ``rows`` maps the name of each statement to the rows that it writes. Statements are in the order
    in which they must run.
    """
    wanted, digests = _by_module(rows)
    stored = {name: (state, ends) for name, state, ends in run("modules_shown")}
    changed = {
        name: digest
        for name, digest in digests.items()
        if name not in stored or stored[name][0] != f"{digest} {stored[name][1]}"
    }
    gone = [name for name in stored if name not in digests]
    if changed or gone:
        run("modules_removed", changed=[*changed], gone=gone)
    for statement in rows:
        if statement != INVOCATIONS:
            some = [row for name in changed for row in wanted[name].get(statement, ())]
            if some:
                run(statement, rows=some)
    if changed or gone:
        states = [{"name": name, "digest": digest} for name, digest in changed.items()]
        run("modules_written", rows=states)
    _show_invocations(run, rows.get(INVOCATIONS, ()))


def _show_invocations(run: Run, rows: RowList) -> None:
    """Write all invocations again if any has changed.

    There are few of them, and their numbers follow their sizes, so one change can renumber many.
    """
    wanted = [[row.get(name) for name in _SHOWN] for row in rows]
    if sorted(run("invocations_shown"), key=lambda row: row[0]) != wanted:
        run("invocations_removed")
        run(INVOCATIONS, rows=rows)


def _by_module(rows: Mapping[str, RowList]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return each module's rows, by statement, and the digest of these rows.

    Rows about invocations are not included.
    """
    found: dict[str, dict[str, Any]] = {str(row["name"]): {} for row in rows.get(MODULES, ())}
    for statement, some in rows.items():
        if statement != INVOCATIONS:
            for row in some:
                name = str(row["name" if statement == MODULES else "module"])
                found[name].setdefault(statement, []).append(row)
    return found, {
        name: sha256(repr(sorted(own.items())).encode()).hexdigest()[:32]
        for name, own in found.items()
    }

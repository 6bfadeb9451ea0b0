"""Determine how an ingest names row ids: by stored patterns, and by patterns that it declares."""

from collections.abc import Mapping

from provhouse.model.errors import UsageError
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern, check_apart
from provhouse.store.warehouse.commits import Commit


def patterns_of(
    before: Commit | None, said: Mapping[str, Pattern], naming: Naming, *, new_base: bool
) -> dict[str, Pattern]:
    """Return the stored patterns and the patterns that an ingest declares, by table.

    Raises UsageError if a pattern would rename stored items, or if two tables might share names.
    """
    stored = before.patterns if before else {}
    fixed = stored if before and before.visible and not new_base else {}
    for table, pattern in said.items():
        if fixed.get(table, pattern) != pattern:
            raise UsageError(
                f"The pattern of {table} cannot change",
                f"Stored items are named {fixed[table].name('{id}')!r}",
                "Leave out --pattern, or start from an empty generation with --replace",
            )
    if said and naming == "table":
        raise UsageError(
            "This warehouse does not accept --pattern",
            "Its items are named with --names table, so that every name is TABLE/NAME",
            "Leave out --pattern, or start from an empty generation with --replace and another "
            "--names",
        )
    patterns = {**stored, **said}
    check_apart(patterns)
    return patterns

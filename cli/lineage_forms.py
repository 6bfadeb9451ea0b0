"""The other questions that options of ``lineage`` and ``impact`` ask, such as ``--origins``."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from provhouse.model.errors import UsageError
from provhouse.model.question import Direction
from provhouse.output.questions.asking import Asking
from provhouse.output.questions.items import AskingExplain, AskingOrigins, AskingSubgraph

from .filter_options import question_fields
from .options import utf8

_USED = {
    "--both": {"as_of"},
    "--origins": {"as_of", "limit"},
    "--estimate": {"as_of", "method", "depth"},
}
"""For each of these options, the fields of the question that it can be combined with."""


def other_question(
    item: str | None,
    direction: Direction,
    wanted: Sequence[str],
    fields: Mapping[str, Any],
    others: Mapping[str, object],
) -> Asking[Any]:
    """Return the question that --both, --origins or --estimate asks.

    ``fields`` is the result of ``question_fields``. Raises UsageError if more than one of these
    three options is given, or one together with an option that does not go with it. ``others`` are
    options that go with none of the three.
    """
    option, *more = wanted
    given = [name for name, value in others.items() if value]
    for name, parameter in inspect.signature(question_fields).parameters.items():
        field = {"table": "tables", "op": "ops"}.get(name, name)
        if field not in _USED[option] and fields[field] not in (parameter.default, ()):
            typed = {"ends": "sources" if direction == "upstream" else "sinks"}.get(name, name)
            given.append("--" + typed.replace("_", "-"))
    for clashing in (*more, *given):
        raise UsageError(
            f"{option} and {clashing} are given together",
            f"{option} asks another question, without this option",
            f"Leave out {clashing}",
        )
    if item is None:
        raise UsageError("No item is named", remedy="Name the item that the question is about")
    name, as_of = utf8(item, "An item's name"), fields["as_of"]
    if option == "--both":
        return AskingSubgraph(name, as_of)
    if option == "--origins":
        return AskingOrigins(name, fields["limit"] or 5, as_of)
    return AskingExplain(name, direction, fields["method"], fields["depth"], as_of)

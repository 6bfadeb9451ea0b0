"""The kinds of operations and the roles of inputs, as texts in traces and as stored codes."""

from typing import Final, Literal, get_args

Kind = Literal["all", "any", "aggregate", "function", "except"]
"""The way that the inputs of a derivation act together.

``all``: every input is needed; ``any``: one is enough; ``aggregate``: without some of its inputs,
the result still exists, with another value; ``function``: it is unknown how the result depends on
the inputs; ``except``: an input may also prevent the result.
"""
Role = Literal["state", "output"]

GROUP_PREFIX: Final = "\0group/"
"""The beginning of the names of groups; no item of a trace may have such a name.

A group stands for a derivation that many dst share: triples lead from its inputs to the group, and
from the group to each dst. Groups are stored like items, but no question shows them.
"""
UNKNOWN: Final = "unknown"
"""The kind of an operation if nothing is known about it; it is stored as null."""
INPUT: Final = "input"
"""The usual role of a src; it is stored as null."""
KINDS: Final[dict[str, int]] = {kind: code for code, kind in enumerate(get_args(Kind))}
ROLES: Final[dict[str, int]] = {role: code for code, role in enumerate(get_args(Role))}
WHOLE: Final = 2.0**53
"""Double precision represents every integer up to this size."""

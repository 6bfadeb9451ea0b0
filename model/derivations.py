"""The kinds of operations and the roles of inputs, as strings in traces and as stored codes."""

from typing import Final, Literal, get_args

Kind = Literal["all", "any", "aggregate", "function", "except"]
"""The joint effect of the inputs of a derivation.

``all``: every input is needed; ``any``: one is enough; ``aggregate``: without some of its inputs,
the result still exists, but with another value; ``function``: it is unknown how the result depends
on the inputs; ``except``: an input may also prevent the result.
"""
Role = Literal["state", "output"]

GROUP_PREFIX: Final = "\0group/"
"""The prefix of the names of groups. No item of a trace may have a name with this prefix.

A group stands for a derivation that several dst share: triples lead from its inputs to the group,
and from the group to each dst. Groups are stored like items, but no question shows them.
"""
UNKNOWN: Final = "unknown"
"""The kind of an operation whose kind is not known; it is stored as null."""
INPUT: Final = "input"
"""The default role of a src; it is stored as null."""
KINDS: Final[dict[str, int]] = {kind: code for code, kind in enumerate(get_args(Kind))}
ROLES: Final[dict[str, int]] = {role: code for code, role in enumerate(get_args(Role))}
WHOLE: Final = 2.0**53
"""Double precision represents every integer up to this absolute value exactly."""

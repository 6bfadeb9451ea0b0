"""Terms of a sum that never have a row at once become one term."""

from collections.abc import Sequence

from .terms import Term

def merged(terms: Sequence[Term], solver: object) -> list[Term]:
    return list(terms)

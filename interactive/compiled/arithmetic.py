"""Exact arithmetic on columns for the compiled GROUP BY: the operators +, - and *.

Decimals are integers with a scale. The columns' smallest and largest values show in advance that no
value overflows, either in the loops or in DuckDB, where an overflow is an error.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from ..index.decoded import INTEGERS, decimal, is_number

Bounds = tuple[int, int]
Chunk = NDArray[np.int64] | int


@dataclass(frozen=True)
class Term:
    """An expression: a column, a number, or two terms combined by an operator.

    ``kind`` is the DuckDB type of the term, and ``scale`` is its number of decimal places.
    """

    sql: str
    kind: str
    scale: int
    column: str = ""
    number: int = 0
    operator: str = ""
    parts: tuple["Term", ...] = ()

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the term reads."""
        below = (part.columns for part in self.parts)
        return frozenset([self.column] if self.column else []).union(*below)

    def bounds(self, columns: Mapping[str, Bounds]) -> Bounds | None:
        """Return the bounds of the term's value, given the bounds of the columns.

        Returns None if the value may not fit its type or 64 bits.
        """
        if self.column:
            return columns[self.column]
        if not self.operator:
            return self.number, self.number
        found = [part.bounds(columns) for part in self.parts]
        sides = [
            tuple(each * self._factor(part) for each in bounds)
            for part, bounds in zip(self.parts, found, strict=True)
            if bounds is not None
        ]
        if len(sides) < len(self.parts):
            return None
        (a, b), (c, d) = sides
        ends = {"+": (a + c, b + d), "-": (a - d, b - c), "*": (a * c, a * d, b * c, b * d)}
        low, high = min(ends[self.operator]), max(ends[self.operator])
        least, most = _range(self.kind)
        wide = [end for side in sides for end in side]
        fits = least <= low and high <= most and all(-(2**63) <= end < 2**63 for end in wide)
        return (low, high) if fits else None

    def _factor(self, part: "Term") -> int:
        return 1 if self.operator == "*" else 10 ** (self.scale - part.scale)

    def evaluate(self, read: Callable[[str], NDArray[np.int64]], known: dict[str, Chunk]) -> Chunk:
        """Return the term's values for the rows that ``read`` supplies.

        ``read`` returns the values of a named column in these rows. ``known`` caches the values of
        terms, by their SQL.
        """
        if self.sql not in known:
            known[self.sql] = self._evaluated(read, known)
        return known[self.sql]

    def _evaluated(
        self, read: Callable[[str], NDArray[np.int64]], known: dict[str, Chunk]
    ) -> Chunk:
        if self.column:
            return read(self.column)
        if not self.operator:
            return self.number
        left, right = (part.evaluate(read, known) for part in self.parts)
        one, other = map(self._factor, self.parts)
        left = left if one == 1 else left * one
        right = right if other == 1 else right * other
        if self.operator == "+":
            return left + right
        return left - right if self.operator == "-" else left * right


def _range(kind: str) -> Bounds:
    digits = decimal(kind)
    low, high = (1 - 10 ** digits[0], 10 ** digits[0] - 1) if digits else INTEGERS[kind]
    return max(low, 1 - 2**63), min(high, 2**63 - 1)


OPERATORS: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*"}


def nodes(argument: exp.Expr) -> list[exp.Expr] | None:
    """Return the nodes of an argument, or None if one of them is not supported.

    Columns, numbers and operations are supported.
    """
    argument = argument.unnest()
    if isinstance(argument, exp.Column) or _literal(argument):
        return [argument]
    if type(argument) not in OPERATORS:
        return None
    sides = [nodes(argument.this), nodes(argument.expression)]
    found = [node for side in sides if side is not None for node in side]
    return None if None in sides else [*found, argument]


def _literal(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and _plain(node.name)


def _plain(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def term(argument: exp.Expr, kinds: Mapping[str, str]) -> Term | None:
    """Return the argument of an aggregate as a term, or None if it cannot be computed exactly.

    ``kinds`` maps the SQL of the argument's ``nodes`` to their types. The result is None if a type
    is inexact, or if the scale computed here differs from DuckDB's scale.
    """
    argument = argument.unnest()
    sql = argument.sql("duckdb")
    if _literal(argument):
        whole, _, digits = argument.name.partition(".")
        return Term(sql, "", len(digits), number=int(whole + digits))
    kind = kinds[sql]
    if isinstance(argument, exp.Column):
        scale = (decimal(kind) or (0, 0))[1]
        return Term(sql, kind, scale, column=argument.name) if is_number(kind) else None
    parts = [term(each, kinds) for each in (argument.this, argument.expression)]
    known = tuple(part for part in parts if part is not None)
    if len(known) < 2 or (kind not in INTEGERS and decimal(kind) is None):
        return None
    if any(part.kind == "DATE" for part in known):
        return None
    operator = OPERATORS[type(argument)]
    scales = [part.scale for part in known]
    scale = sum(scales) if operator == "*" else max(scales)
    if scale != (decimal(kind) or (0, 0))[1]:
        return None
    return Term(sql, kind, scale, operator=operator, parts=known)

"""SQL that converts DuckDB columns for charts, since Arrow alters the values of some types."""

import re

AS_DOUBLE = {"UHUGEINT", "BIGNUM"}
"""The integer types that Arrow lacks. Charts use floating-point numbers for them instead."""
AS_TEXT = {"TIME", "TIME_NS", "TIME WITH TIME ZONE", "UUID"}
_AS_IS = re.compile(
    r"BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT)|HUGEINT|DECIMAL\(.*\)|FLOAT|DOUBLE|VARCHAR|JSON"
    r"|ENUM\(.*\)|DATE|TIMESTAMP(_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE|\"NULL\"",
    re.DOTALL,
)


def as_charted(text: str, kind: str) -> str | None:
    """Return SQL for a column's bars and sums, or None if its type supports neither of these."""
    if kind in AS_DOUBLE:
        return f"({text}\n)::double"
    if kind in AS_TEXT:
        return f"({text}\n)::varchar"
    return text if _AS_IS.fullmatch(kind) else None

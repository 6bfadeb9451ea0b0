"""The functions of DuckDB whose value depends only on their arguments, and properties of types.

This is a list of known functions, not of excluded ones: a function that is missing here makes its
operator opaque. ``catalyst_functions`` lists the functions of Spark, with the same name if the
operation is the same. Types of DuckDB are in upper case, types of Spark in lower case.
"""


def _listed(*names: str) -> frozenset[str]:
    """Return a set of names from strings in which spaces separate the names."""
    return frozenset(" ".join(names).split())


SCALAR = _listed(
    "+ - * / // % || & | << >> ~",
    "~~ !~~ ~~* !~~* like_escape not_like_escape ilike_escape not_ilike_escape",
    "abs ceil floor round trunc sign sqrt ln log10 log2 exp pow power greatest least",
    "lower upper length strlen substring concat replace trim ltrim rtrim left right reverse repeat",
    "lpad rpad instr contains prefix suffix starts_with split_part md5",
    "regexp_matches regexp_full_match regexp_replace regexp_extract",
    "date_trunc date_part date_diff year quarter month day hour minute second week dayofweek",
    "dayofyear last_day strftime strptime make_date",
)
COMPARISONS = _listed(
    "COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_LESSTHAN COMPARE_GREATERTHAN COMPARE_LESSTHANOREQUALTO",
    "COMPARE_GREATERTHANOREQUALTO COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM",
)
OPERATORS = _listed(
    "OPERATOR_NOT OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_COALESCE COMPARE_IN",
    "COMPARE_NOT_IN",
)
COMMUTATIVE = _listed(
    "COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM",
    "CONJUNCTION_AND CONJUNCTION_OR",
)
"""Functions whose arguments may be in any order."""
COMMUTATIVE_ON_NUMBERS = _listed("+ *")
AGGREGATES = _listed(
    "count_star count sum avg min max bool_and bool_or",
    "stddev stddev_samp stddev_pop variance var_samp var_pop",
)
"""Aggregates whose value does not depend on the order of rows if the argument's type is exact.

The arguments of deviations and variances are always of the inexact type DOUBLE.
"""
COUNTS = frozenset({"count_star", "count"})
RANKS = _listed("WINDOW_RANK WINDOW_RANK_DENSE WINDOW_PERCENT_RANK WINDOW_CUME_DIST")
"""Window functions that return equal values for tied rows."""
PLACES = _listed(
    "WINDOW_ROW_NUMBER WINDOW_NTILE WINDOW_LAG WINDOW_LEAD WINDOW_FIRST_VALUE WINDOW_LAST_VALUE",
    "WINDOW_NTH_VALUE",
)
INTEGERS = _listed(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT"
)
SPARK_INTEGERS = _listed("byte short integer long")
SPARK_EXACT = SPARK_INTEGERS | _listed("boolean string binary date timestamp timestamp_ntz void")
EXACT = INTEGERS | _listed("BOOLEAN VARCHAR DATE TIMESTAMP TIME UUID") | SPARK_EXACT
"""Types whose equal values are always identical.

Counterexamples of other types: 0.0 equals -0.0, and 30 days equal a month.
"""
CONSTANTS = EXACT | frozenset({"DOUBLE", "FLOAT", "INTERVAL", "NULL"})
NUMBERS = INTEGERS | SPARK_INTEGERS | _listed("DOUBLE FLOAT double float")


def is_exact(type_: str) -> bool:
    """Return whether equal values of a type are always identical."""
    return type_ in EXACT or is_decimal(type_)


def is_decimal(type_: str) -> bool:
    """Return whether a type is DECIMAL."""
    return type_.startswith(('{"id":"DECIMAL"', "decimal("))


def is_number(type_: str) -> bool:
    """Return whether a type is a number."""
    return type_ in NUMBERS or is_decimal(type_)

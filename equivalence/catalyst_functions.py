"""The expressions of Spark whose value depends only on their arguments.

This is a list of known classes, not of excluded ones: a class that is missing here makes its
operator opaque. Operations that rules treat like operations of DuckDB have DuckDB's names.
"""


def _listed(*names: str) -> dict[str, str]:
    return {name: name for name in " ".join(names).split()}


SCALAR = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/",
    "And": "CONJUNCTION_AND", "Or": "CONJUNCTION_OR", "Not": "OPERATOR_NOT",
    "IsNull": "OPERATOR_IS_NULL", "IsNotNull": "OPERATOR_IS_NOT_NULL",
    "Coalesce": "OPERATOR_COALESCE", "In": "COMPARE_IN",
    "EqualTo": "COMPARE_EQUAL", "EqualNullSafe": "COMPARE_NOT_DISTINCT_FROM",
    "LessThan": "COMPARE_LESSTHAN", "LessThanOrEqual": "COMPARE_LESSTHANOREQUALTO",
    "GreaterThan": "COMPARE_GREATERTHAN", "GreaterThanOrEqual": "COMPARE_GREATERTHANOREQUALTO",
    "Cast": "CAST",
} | _listed(
    "IntegralDivide Remainder Pmod UnaryMinus Abs Signum Sqrt Exp Log Logarithm Log10 Log2 Pow",
    "Ceil Floor Round BRound Rint BitwiseAnd BitwiseOr BitwiseXor BitwiseNot ShiftLeft ShiftRight",
    "If Greatest Least IsNaN NaNvl AtLeastNNonNulls",
    "Upper Lower InitCap Length OctetLength BitLength Substring SubstringIndex Concat ConcatWs",
    "StringTrim StringTrimLeft StringTrimRight StringReplace StringLPad StringRPad StringRepeat",
    "StringInstr StringLocate StringTranslate StringSpace Contains StartsWith EndsWith Reverse",
    "Like RLike RegExpExtract RegExpReplace StringSplit Ascii Md5 Sha1 Sha2 Crc32 UnBase64",
    "Hex Unhex Murmur3Hash XxHash64 Levenshtein",
    "Year Quarter Month DayOfMonth DayOfWeek WeekDay DayOfYear WeekOfYear Hour Minute Second",
    "DateAdd DateSub DateDiff AddMonths MonthsBetween LastDay NextDay TruncDate TruncTimestamp",
    "MakeDate UnixDate DateFromUnixDate UnixSeconds UnixMillis UnixMicros SecondsToTimestamp",
    "DateFormatClass GetTimestamp ToUnixTimestamp UnixTimestamp FromUnixTime",
    "TimestampAdd TimestampDiff",
    "CreateNamedStruct GetStructField CreateArray GetArrayItem GetMapValue Size ArrayContains",
    "ElementAt",
)  # fmt: skip
"""The classes of expressions, and their names in plans."""
STATIC = {
    ("org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils", "readSidePadding"),
    ("org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils", "charTypeWriteSideCheck"),
    ("org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils", "varcharTypeWriteSideCheck"),
}
"""Classes and methods that Spark itself calls within expressions."""
AGGREGATES = {
    "aggregate.Count": "count", "aggregate.Sum": "sum", "aggregate.Average": "avg",
    "aggregate.Min": "min", "aggregate.Max": "max", "aggregate.BitAndAgg": "bit_and",
    "aggregate.BitOrAgg": "bit_or", "aggregate.BitXorAgg": "bit_xor",
}  # fmt: skip
"""Aggregates whose value does not depend on the order of rows if the argument's type is exact."""
WINDOWED = {
    "Rank": "WINDOW_RANK", "DenseRank": "WINDOW_RANK_DENSE", "PercentRank": "WINDOW_PERCENT_RANK",
    "CumeDist": "WINDOW_CUME_DIST", "RowNumber": "WINDOW_ROW_NUMBER", "NTile": "WINDOW_NTILE",
    "Lag": "WINDOW_LAG", "Lead": "WINDOW_LEAD", "NthValue": "WINDOW_NTH_VALUE",
    "aggregate.First": "WINDOW_FIRST_VALUE", "aggregate.Last": "WINDOW_LAST_VALUE",
}  # fmt: skip
"""Functions that exist only over windows, and functions that get an order only from a window."""
PYTHON_BY_ROW = frozenset({100, 101, 200})
"""The codes of Python functions that return one value per row: plain, Arrow, pandas."""
EXACT_DIGITS = 28
"""The maximum number of digits of a decimal whose sum cannot overflow.

The sum has ten more digits than the summed decimal, but at most 38.
"""

"""Order rows by how unusual their values are, so that a search finds a faulty row early."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import F64, I64


def unusual_first(rows: pa.Table) -> I64:
    """Return the positions of rows, sorted from the most to the least unusual row.

    Equally unusual rows keep their order. The score of a row is the highest score of its values.

    The score of a number is its distance from the median, divided by the mean of these distances in
    its column. The score of any other value is its rarity in bits, or 0 if most values of its
    column are distinct.
    """
    score = np.zeros(rows.num_rows)
    for column in rows.itercolumns():
        score = np.maximum(score, _score(column.combine_chunks()))
    return np.argsort(-score, kind="stable")


def _score(column: pa.Array) -> F64:
    kind = column.type
    if pa.types.is_decimal(kind):
        column, kind = column.cast(pa.float64()), pa.float64()
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        column, kind = column.cast(pa.timestamp("us")).cast(pa.int64()), pa.int64()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.maximum(_distance(column), _rarity(pc.is_null(column, nan_is_null=True)))
    if pa.types.is_string(kind) or pa.types.is_boolean(kind):
        return _rarity(column)
    return _rarity(pc.is_null(column))


def _distance(column: pa.Array) -> F64:
    values = np.asarray(pc.fill_null(column.cast(pa.float64(), safe=False), np.nan))
    known = values[np.isfinite(values)]
    if not len(known):
        return np.zeros(len(values))
    far = np.abs(values - np.median(known))
    usual = float(np.mean(far[np.isfinite(far)])) or 1.0
    found: F64 = np.where(np.isnan(far), 0.0, far / usual)
    return found


def _rarity(column: pa.Array) -> F64:
    codes = column.dictionary_encode("encode").indices
    counts = np.bincount(np.asarray(codes))
    if not len(counts) or len(counts) * 2 > len(codes):
        return np.zeros(len(codes))
    found: F64 = np.log2(len(codes) / counts)[np.asarray(codes)]
    return found

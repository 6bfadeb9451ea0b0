"""Dictionary-encode strings while triples are sorted: columns like ``op`` have few values."""

import pyarrow as pa


def coded(rows: pa.Table) -> pa.Table:
    """Return ``rows`` with dictionary-encoded strings."""
    for place, field in enumerate(rows.schema):
        if field.type == pa.string():
            codes = rows[field.name].combine_chunks().dictionary_encode()
            rows = rows.set_column(place, field.name, codes)
    return rows.combine_chunks()


def decoded(rows: pa.Table) -> pa.Table:
    """Return ``rows`` with strings that are not dictionary-encoded."""
    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(place, field.name, rows[field.name].cast(field.type.value_type))
    return rows

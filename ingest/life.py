"""Rows of the tables that tell who stands for triples and which have died."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from provhouse.model.columns import INGEST, TABLES

from .ending import Ended
from .origins import Origin, origin_rows


def life_rows(
    origins: Iterable[Origin], asserted: Iterable[pa.Table], ended: Ended, generation: int
) -> Mapping[str, pa.Table]:
    """What one ingest adds to each of these tables, without its number."""
    form = TABLES["assertions"]
    none = form.remove(form.get_field_index(INGEST)).empty_table()
    return {
        "origins": origin_rows(origins),
        "assertions": pa.concat_tables([none, *asserted, *ended.assertion_rows()]),
        "deaths": ended.death_rows(generation),
    }

"""The workflow of the paper's trace: its tables by level, routes through them, and splits by hand.

The paper shows its 25 tables (Figure 1) only as acronyms. The names here are for a workflow that
curates the text of companies' filings. A table derives only from tables of higher levels.
"""

import json

import numpy as np

from provhouse.model.arrays import I32

_TEXT = "sections paragraphs sentences"
ROUTES = (
    f"filings covers {_TEXT} mentions candidates entities facts profiles records",
    f"filings companies {_TEXT} terms candidates relations events profiles records",
    "filings covers sections grids cells figures measures metrics ratios series rows",
    "filings covers sections grids cells figures measures metrics facts aggregates indicators",
    f"filings companies {_TEXT} terms measures metrics events aggregates rows",
)
"""The routes through the workflow, with one table for each level."""
VERBS = {
    "filings": "crawl",
    "covers": "parse",
    "companies": "look_up",
    "sections": "segment_into",
    "paragraphs": "divide_into",
    "grids": "recognise",
    "sentences": "divide_into",
    "cells": "read",
    "mentions": "annotate",
    "terms": "annotate",
    "figures": "normalise",
    "candidates": "match",
    "measures": "convert",
    "entities": "resolve",
    "relations": "extract",
    "metrics": "extract",
    "facts": "assert",
    "events": "detect",
    "ratios": "compute",
    "profiles": "fuse",
    "series": "align",
    "aggregates": "sum_up",
    "records": "join_into",
    "rows": "join_into",
    "indicators": "rate",
}
TABLES = tuple(VERBS)
LEVELS = 11
LAST = {"sp1": 1, "sp2": 4, "sp4": 6, "sp5": 10}
"""The last level of each split."""


def routes() -> I32:
    """Return the tables of each route (row) at each level (column), as positions in ``TABLES``."""
    return np.array([[TABLES.index(table) for table in way.split()] for way in ROUTES], np.int32)


def splits() -> dict[str, list[str]]:
    """Return the tables of each split. The two sub-splits sp4 and sp5 replace sp3."""
    level = {table: n for way in ROUTES for n, table in enumerate(way.split())}
    begins = [0, *(last + 1 for last in LAST.values())]
    return {
        name: [table for table in TABLES if begin <= level[table] <= last]
        for begin, (name, last) in zip(begins, LAST.items(), strict=False)
    }


def splits_file() -> str:
    """Return the text of a splits file with sp1, sp2 and sp3. sp3 consists of sp4 and sp5."""
    found = splits()
    of_file = {"sp1": found["sp1"], "sp2": found["sp2"], "sp3": [found["sp4"], found["sp5"]]}
    return "".join(f"{name} = {json.dumps(split)}\n" for name, split in of_file.items())

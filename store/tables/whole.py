"""All that a base has, whichever generation shows it, and whether or not any still does."""

import numpy as np

from provhouse.model.columns import INGEST, TABLES

from ..warehouse.commits import Commit, Totals
from ..warehouse.layout import Layout
from .delta import newest, read_rows
from .snapshot import Snapshot


def whole(layout: Layout, base: int) -> Snapshot:
    """A base as a generation would show it that hides nothing; for the one writer."""
    versions = {name: newest(layout.table(base, name)) for name in TABLES}
    tables = {name: version for name, version in versions.items() if version is not None}
    rows = read_rows(layout.table(base, "ingests"), "ingests", tables.get("ingests"), [INGEST])
    ingests = np.asarray(rows[INGEST])
    visible = ((int(ingests.min()), int(ingests.max())),) if len(ingests) else ()
    return Snapshot(layout, Commit(base, 0, "", "", visible, tables, Totals()))

"""The naming scheme of a warehouse's items: by name alone, or by table and name."""

from typing import Literal

Naming = Literal["unique", "global", "table"]
"""The naming scheme, which the first ingest stores.

- ``unique``: a name is one item; an ingest in which a name occurs in two tables is refused. This is
  the default.
- ``global``: a name is one item, even if it occurs in several tables.
- ``table``: an item is named ``TABLE/NAME``. A name that begins with ``TABLE/`` is used unchanged.
"""
SaidNaming = Literal["table", "global"]
"""The values of the option ``--names``."""

"""The naming of a warehouse's items: by name alone, or by table and name."""

from typing import Literal

Naming = Literal["unique", "global", "table"]
"""The naming that the first ingest stores.

- ``unique``: a name is one item; an ingest that brings a name in two tables is refused. This is
  the default.
- ``global``: a name is one item, in whatever tables it occurs.
- ``table``: an item is named ``TABLE/NAME``. A name that begins with ``TABLE/`` is used unchanged.
"""
SaidNaming = Literal["table", "global"]
"""The values of the option ``--names``."""

"""The name of the running command, which the log of writing commands records."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""The command, such as ``ingest``; in a program that imports provhouse, ``python``.

The arguments are left out because they may contain item names.
"""

"""The name of the running command, for the log of writers."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""The command, such as ``ingest``, without its arguments, which may contain item names.

In a program that imports provhouse, it is ``python``.
"""

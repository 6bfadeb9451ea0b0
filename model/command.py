"""The name of the running command, for the log of writers."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""The name without arguments, since arguments may contain item names.

Programs that import provhouse have the default.
"""

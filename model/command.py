"""The name of the running command, for the log of writers."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""The name without arguments, which may name items; the default is for programs that import us."""

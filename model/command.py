"""The name of the running command, for the log of writers."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""Without arguments, which may name items; a program that uses the package keeps the default."""

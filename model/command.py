"""Which command is at work, for the log of who wrote."""

from contextvars import ContextVar

COMMAND: ContextVar[str] = ContextVar("command", default="python")
"""Its name alone, as arguments may be names of items; a program that uses the package has none."""

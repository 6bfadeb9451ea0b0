"""Capture which rows a Spark job derives from which, read what was captured, and walk it."""

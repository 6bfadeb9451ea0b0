"""Revisions of workflows, and the reuse of their results."""

"""Revisions of workflows, their executions and results, reuse of results, and differences."""

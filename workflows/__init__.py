"""Revisions of workflows, their executions and results, reuse of results, and what changed."""

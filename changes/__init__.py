"""Change what a warehouse shows: retract, roll back, compact, prune, forget."""

"""Check, repair, compact, prune, roll back, retract from and erase from a warehouse."""

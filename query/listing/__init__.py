"""List what a warehouse has: items, modules, ops, sets, generations."""

"""List the content of a warehouse: items, modules, ops, sets, generations."""

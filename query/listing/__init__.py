"""List the content of a warehouse: items, modules, ops, sets and generations."""

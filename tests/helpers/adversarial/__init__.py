"""Random SQL whose lineage is meant to be hard to find, and a check of this lineage."""

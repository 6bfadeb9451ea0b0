"""Random SQL whose lineage is meant to be hard to find, and the check of this lineage."""

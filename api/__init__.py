"""A provenance warehouse: record-level lineage of whole pipelines."""

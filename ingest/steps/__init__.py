"""The steps of an ingest, in order."""

"""How results are written: as a table for people, as JSON and CSV for programs."""

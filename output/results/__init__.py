"""One file for each result: its text for people, its JSON and its CSV rows."""

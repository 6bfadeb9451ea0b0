"""From files of triples to a committed generation."""

"""From files of named triples to a committed generation."""

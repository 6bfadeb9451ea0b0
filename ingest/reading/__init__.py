"""One file a format: how rows come out of it, and what it says of a file that is broken."""

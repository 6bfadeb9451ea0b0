"""Equal rewrites of queries, from rules of which each is right by itself."""

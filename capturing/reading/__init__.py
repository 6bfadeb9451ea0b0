"""Read the association files of captured jobs: the rows that each row of a write was made of."""

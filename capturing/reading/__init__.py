"""Read the association files of captured jobs: which rows each row of a write was made from."""

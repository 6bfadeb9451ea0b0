"""Read the association files of captured jobs, which record the rows that each row derives from."""

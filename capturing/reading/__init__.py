"""Read the association files of captured jobs, which tell from which rows each row was made."""

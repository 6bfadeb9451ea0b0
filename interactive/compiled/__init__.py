"""Run GROUP BY in compiled loops, which record the rows of each group while they aggregate."""

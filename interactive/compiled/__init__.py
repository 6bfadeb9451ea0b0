"""GROUP BY in compiled loops, which find the rows of each group while they aggregate."""

"""GROUP BY in compiled loops, which list the rows of each group while they add up."""

"""Rid indexes: which rows of the tables each row of a result was made of."""

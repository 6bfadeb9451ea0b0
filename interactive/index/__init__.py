"""Rid indexes: the rows of tables behind each row of a result."""

"""Rid indexes: for each row of a result, the table rows behind it."""

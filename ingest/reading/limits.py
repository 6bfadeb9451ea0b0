"""How much is read at once."""

BLOCK = 16 << 20
"""About how many bytes are read at once; a single row must fit."""
ROWS = 1 << 18
"""The most rows at once, however short they are."""

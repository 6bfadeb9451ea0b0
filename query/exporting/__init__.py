"""Write a generation, or a part of one, for other programs."""

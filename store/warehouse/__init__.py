"""The warehouse's folder: where things lie, who may write, what is committed."""

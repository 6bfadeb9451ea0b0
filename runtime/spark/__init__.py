"""Spark: the session of a process, its tasks and its Python workers."""

"""The warm server: one process that keeps Spark running and answers questions over HTTP."""

"""One warm process that holds Spark and answers over HTTP."""

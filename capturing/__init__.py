"""Capture which rows a Spark job derives from which, while the job runs."""

"""What must be on the machine: a Java runtime and jars, found, fetched and checked."""

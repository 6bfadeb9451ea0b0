"""What provhouse needs from the machine: Java, jars, files and locks, processes, memory."""

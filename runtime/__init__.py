"""Resources of this machine: Java, jars, files and locks, processes, memory."""

package provhouse.capturing.sources;

import org.apache.hadoop.fs.FileStatus;

/** A data file of an Iceberg table. {@code deletes} is true if some of its rows were deleted. */
record IcebergFile(FileStatus status, boolean deletes) {}

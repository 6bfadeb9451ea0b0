package provhouse.capturing.sources;

import java.util.Map;
import org.apache.hadoop.fs.FileStatus;

/**
 * A data file of an Iceberg table, and the vector of its deleted rows, or null. From format 3 on,
 * {@code firstRow} is the id of its first row; {@code sequence} is the number of its commit.
 */
record IcebergFile(
    FileStatus status, Map<String, Object> deleted, Long firstRow, Long sequence) {}

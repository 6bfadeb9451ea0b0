package provhouse.capturing.sources;

import java.util.Map;
import org.apache.hadoop.fs.FileStatus;

/** A data file of an Iceberg table, and the vector of its deleted rows, or null. */
record IcebergFile(FileStatus status, Map<String, Object> deleted) {}

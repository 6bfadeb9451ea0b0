package provhouse.capturing.sources;

import java.io.Serializable;
import java.net.URI;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import provhouse.capturing.taps.*;

/**
 * The ids of the records of files that Spark may split. Each part of a file has a number of its
 * own: the number of the file, plus the start of the part divided by {@code step}, the smallest
 * part that Spark's settings allow.
 *
 * <p>A tap writes the number, the start, the length and the count of each part that was read to its
 * end. From the counts, an ingest knows the position of each record in its file.
 */
record RecordIds(RowIds files, long step, Tap parts) implements Serializable {
  /** Return the id of the first record of a part of a file. */
  long first(URI path, long start) {
    return files.first(path) + (start / step << Form.ROW_BITS);
  }

  /** Note how many records a part has, unless it is a whole file that Spark would never split. */
  void counted(long first, PartitionedFile file, long count) {
    if (file.fileSize() > step) {
      long number = first >> Form.ROW_BITS;
      parts.put(number, file.start(), file.length(), count, 0, 0, 0, 0);
    }
  }
}

package provhouse.capturing.sources;

import java.io.Serializable;
import java.net.URI;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import provhouse.capturing.taps.*;

/**
 * The ids of the records of files that Spark may split. Each part of a file has a number of its
 * own: the file's number plus the quotient of the part's start and {@code step}, the size of the
 * smallest part that Spark's settings allow.
 *
 * <p>For each part that was read to its end, a tap writes the part's number, start, length and
 * count of records. From the counts, an ingest knows the position of each record in its file.
 */
record RecordIds(RowIds files, long step, Tap parts) implements Serializable {
  /** Return the id of the first record of a part of a file. */
  long first(URI path, long start) {
    return files.first(path) + (start / step << Form.ROW_BITS);
  }

  /** Record how many records a part has, unless it is a file that Spark would never split. */
  void counted(long first, PartitionedFile file, long count) {
    if (file.fileSize() > step) {
      long number = first >> Form.ROW_BITS;
      parts.put(number, file.start(), file.length(), count, 0, 0, 0, 0);
    }
  }
}

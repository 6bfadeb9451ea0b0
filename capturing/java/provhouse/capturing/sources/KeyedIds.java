package provhouse.capturing.sources;

import java.io.Serializable;
import provhouse.capturing.taps.*;

/**
 * The ids of the rows of a source without row indexes. Instead of a file's number, they contain the
 * number of Spark's partition, added to {@code number}.
 */
public record KeyedIds(long number) implements Serializable {
  /** The count of numbers for a source: the largest number of partitions. */
  static final int PARTITIONS = 1 << 16;

  private static final int COUNTER_BITS = 33; // of monotonically_increasing_id

  /** Return the id of a row from its {@code monotonically_increasing_id}. */
  public long id(long counted) {
    long partition = counted >>> COUNTER_BITS;
    if (partition >= PARTITIONS) {
      throw new IllegalStateException(
          "The lineage of more than " + PARTITIONS + " partitions cannot be captured");
    }
    return (number + partition) << Form.ROW_BITS | counted & (1L << COUNTER_BITS) - 1;
  }
}

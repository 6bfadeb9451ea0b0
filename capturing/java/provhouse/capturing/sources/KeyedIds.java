package provhouse.capturing.sources;

import java.io.Serializable;
import provhouse.capturing.taps.*;

/**
 * The ids of the rows of a source without row indexes. In place of a file's number, an id contains
 * {@code number} plus the number of Spark's partition.
 */
public record KeyedIds(long number) implements Serializable {
  /**
   * The number of file numbers that are reserved for a source, and so the most partitions that it
   * may have.
   */
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

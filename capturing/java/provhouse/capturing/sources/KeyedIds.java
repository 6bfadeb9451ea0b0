package provhouse.capturing.sources;

import java.io.Serializable;
import provhouse.capturing.taps.*;

/**
 * The ids of the rows of a source without row indexes. In place of a file's number, an id contains
 * the sum of {@code number} and Spark's partition number.
 */
public record KeyedIds(long number) implements Serializable {
  /**
   * The number of file numbers reserved for a source. A source may have at most this many
   * partitions.
   */
  static final int PARTITIONS = 1 << 16;

  private static final int COUNTER_BITS = 33; // of monotonically_increasing_id

  /** Return a row's id, computed from its {@code monotonically_increasing_id}. */
  public long id(long counted) {
    long partition = counted >>> COUNTER_BITS;
    if (partition >= PARTITIONS) {
      throw new IllegalStateException(
          "The lineage of more than " + PARTITIONS + " partitions cannot be captured");
    }
    return (number + partition) << Form.ROW_BITS | counted & (1L << COUNTER_BITS) - 1;
  }
}

package provhouse.capturing.sources;

import java.io.Serializable;

/**
 * The ids of the rows of a source without row indexes: in place of a file's number, the number of
 * the partition that Spark reads, counted on from the source's own number.
 */
public final class KeyedIds implements Serializable {
  /** How many numbers a source has: Spark may read it in so many partitions. */
  static final int PARTITIONS = 1 << 16;

  private static final long serialVersionUID = 1L;
  private static final int COUNTER_BITS = 33; // of monotonically_increasing_id
  private final long number;

  KeyedIds(long number) {
    this.number = number;
  }

  /** Return the id of a row from its {@code monotonically_increasing_id}. */
  public long id(long counted) {
    long partition = counted >>> COUNTER_BITS;
    if (partition >= PARTITIONS) {
      throw new IllegalStateException("The lineage of so many partitions cannot be captured");
    }
    return (number + partition) << RowIds.ROW_BITS | counted & (1L << COUNTER_BITS) - 1;
  }
}

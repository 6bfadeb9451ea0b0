package provhouse.capturing.sources;

import java.io.Serializable;
import java.util.Arrays;
import provhouse.capturing.taps.*;

/**
 * The ids of an RDD's rows, computed from the positions of the rows in the RDD's partitions.
 * Partition {@code p} begins with the row {@code firsts[p]}.
 */
public record PlaceIds(long number, long[] firsts) implements Serializable {
  private static final int COUNTER_BITS = 33; // of monotonically_increasing_id

  /** Return a row's id, computed from its {@code monotonically_increasing_id}. */
  public long id(long counted) {
    int partition = (int) (counted >>> COUNTER_BITS);
    long row = firsts[partition] + (counted & (1L << COUNTER_BITS) - 1);
    if (row >= firsts[partition + 1]) {
      throw new IllegalStateException(
          "A function of the program has made other rows than before, so they cannot be numbered; "
              + "cache the data frame");
    }
    return number << Form.ROW_BITS | row;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PlaceIds ids
        && ids.number == number
        && Arrays.equals(ids.firsts, firsts);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(number);
  }
}

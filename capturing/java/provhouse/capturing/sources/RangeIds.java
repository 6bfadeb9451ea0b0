package provhouse.capturing.sources;

import java.io.Serializable;
import provhouse.capturing.taps.*;

/** The ids of the rows of a range, computed from the values of the rows. */
public record RangeIds(long number, long start, long step) implements Serializable {
  /**
   * Return the id of the row with the given value. Its distance from the start may need all 64
   * bits.
   */
  public long id(long value) {
    long distance = step > 0 ? value - start : start - value;
    return number << Form.ROW_BITS | Long.divideUnsigned(distance, Math.abs(step));
  }
}

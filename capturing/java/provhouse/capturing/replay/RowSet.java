package provhouse.capturing.replay;

import java.io.Serializable;
import java.util.Arrays;

/** A set of rows of a source, given by their sorted ids. */
public record RowSet(long[] ids) implements Serializable {
  /** Return whether a row is in the set. Generated code calls this for each row that is read. */
  public boolean has(long id) {
    return Arrays.binarySearch(ids, id) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowSet rows && Arrays.equals(rows.ids, ids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ids);
  }

  @Override
  public String toString() {
    return ids.length + " rows";
  }
}

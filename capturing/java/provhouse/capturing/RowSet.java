package provhouse.capturing;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;

/** Some rows of a source, by their ids, which are sorted. */
public final class RowSet implements Serializable {
  private static final long serialVersionUID = 1L;
  private final RowIds rows;
  private final long[] ids;
  private final long[] indexes;

  RowSet(RowIds rows, long[] ids) {
    this.rows = rows;
    this.ids = ids;
    long index = (1L << RowIds.ROW_BITS) - 1;
    indexes = Arrays.stream(ids).map(id -> id & index).sorted().distinct().toArray();
  }

  /**
   * Return whether one of them has this index in its file. Generated code calls this for each row
   * that is read, and {@code has} for the few rows that pass.
   */
  public boolean hasIndex(long row) {
    return Arrays.binarySearch(indexes, row) >= 0;
  }

  /** Return whether a row is one of them. */
  public boolean has(UTF8String path, long row) {
    return Arrays.binarySearch(ids, rows.id(path, row)) >= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowSet
        && ((RowSet) other).rows.equals(rows)
        && Arrays.equals(((RowSet) other).ids, ids);
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

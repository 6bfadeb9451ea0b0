package provhouse.capturing;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;

/** Some rows of a source, by their ids, which are sorted. */
public final class RowSet implements Serializable {
  private static final long serialVersionUID = 1L;
  private final RowIds rows;
  private final long[] ids;

  RowSet(RowIds rows, long[] ids) {
    this.rows = rows;
    this.ids = ids;
  }

  /** Return whether a row is one of them. Generated code calls this for each row that is read. */
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

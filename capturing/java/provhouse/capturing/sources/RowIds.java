package provhouse.capturing.sources;

import java.io.Serializable;
import java.net.URI;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.taps.*;

/**
 * The ids of the rows of a source: the number of a row's file, then the row's index in the file.
 */
public final class RowIds implements Serializable {
  private static final long serialVersionUID = 1L;
  private final String[] paths;
  private final long[] numbers;
  private transient Map<URI, Long> known;
  private transient UTF8String seen;
  private transient UTF8String last;
  private transient long first;

  public RowIds(String[] paths, long[] numbers) {
    this.paths = paths;
    this.numbers = numbers;
  }

  /**
   * Return these ids with new file numbers. {@code others} maps the current numbers to new ones.
   */
  public RowIds renumbered(Map<Long, Long> others) {
    return new RowIds(paths, Arrays.stream(numbers).map(others::get).toArray());
  }

  /** Return whether a number is the number of one of the files. */
  public boolean has(long number) {
    return Arrays.stream(numbers).anyMatch(each -> each == number);
  }

  /** Return the id of the first row of a file. Generated code calls this for each row. */
  public long first(UTF8String path) {
    if (path != seen) { // all rows of a file in a task have the same path object
      if (!path.equals(last)) {
        first = first(URI.create(path.toString())); // file:///a and file:/a are equal as URIs
        last = path.clone();
      }
      seen = path;
    }
    return first;
  }

  /** Return the id of the first row of a file. */
  public long first(URI path) {
    if (known == null) {
      known = new HashMap<>();
      for (int i = 0; i < paths.length; i++) {
        known.put(URI.create(paths[i]), numbers[i] << Form.ROW_BITS);
      }
    }
    Long found = known.get(path);
    if (found == null) {
      throw new IllegalStateException(
          "Spark reads a file that did not exist when the lineage was planned: " + path);
    }
    return found;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowIds ids
        && Arrays.equals(ids.paths, paths)
        && Arrays.equals(ids.numbers, numbers);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(numbers);
  }

  @Override
  public String toString() {
    return "row ids";
  }
}

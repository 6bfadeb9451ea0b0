package provhouse.capturing.sources;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.taps.*;

/** The id of the first row of each file of a source, which the file's number determines. */
public abstract class FileIds implements Serializable {
  private static final long serialVersionUID = 1L;
  final String[] paths;
  final long[] numbers;
  private transient Map<Object, Long> known;
  private transient UTF8String seen;
  private transient UTF8String last;
  private transient long first;

  FileIds(String[] paths, long[] numbers) {
    this.paths = paths;
    this.numbers = numbers;
  }

  /** Return a file's path in a form that is equal for all texts of the path. */
  abstract Object keyOf(String path);

  /** Return the id of the first row of a file. Generated code calls this for each row. */
  public final long first(UTF8String path) {
    if (path != seen) { // all rows of a file in a task have the same path object
      if (!path.equals(last)) {
        first = firstOf(keyOf(path.toString()));
        last = path.clone();
      }
      seen = path;
    }
    return first;
  }

  final long firstOf(Object key) {
    if (known == null) {
      known = new HashMap<>();
      for (int i = 0; i < paths.length; i++) {
        known.put(keyOf(paths[i]), numbers[i] << Form.ROW_BITS);
      }
    }
    Long found = known.get(key);
    if (found == null) {
      throw new IllegalStateException(
          "Spark reads a file that did not exist when the lineage was planned: " + key);
    }
    return found;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof FileIds ids
        && ids.getClass() == getClass()
        && Arrays.equals(ids.paths, paths)
        && Arrays.equals(ids.numbers, numbers);
  }

  @Override
  public final int hashCode() {
    return Arrays.hashCode(numbers);
  }

  @Override
  public final String toString() {
    return "row ids";
  }
}

package provhouse.capturing.sources;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.taps.*;

/**
 * The ids of the rows of an Iceberg table: the number of a row's file, then the row's position in
 * the file. Files are named as in Iceberg's column {@code _file}.
 */
public final class IcebergIds implements Serializable {
  private static final long serialVersionUID = 1L;
  private final String[] files;
  private final long[] numbers;
  private transient Map<String, Long> known;
  private transient UTF8String last;
  private transient long first;

  IcebergIds(String[] files, long[] numbers) {
    this.files = files;
    this.numbers = numbers;
  }

  /** Return a row's id. Generated code calls this for each row. */
  public long id(UTF8String file, long position) {
    if (!file.equals(last)) {
      first = first(file.toString());
      last = file.clone();
    }
    return first + position;
  }

  private long first(String file) {
    if (known == null) {
      known = new HashMap<>();
      for (int i = 0; i < files.length; i++) {
        known.put(files[i], numbers[i] << Form.ROW_BITS);
      }
    }
    Long found = known.get(file);
    if (found == null) {
      throw new IllegalStateException(
          "Spark reads a file that did not exist when the lineage was planned: " + file);
    }
    return found;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IcebergIds ids
        && Arrays.equals(ids.files, files)
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

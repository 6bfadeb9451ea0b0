package provhouse.capturing.sources;

import java.net.URI;
import java.util.Arrays;
import java.util.Map;

/**
 * The ids of the rows of a source: the number of a row's file, then the row's index in the file.
 */
public final class RowIds extends FileIds {
  private static final long serialVersionUID = 1L;

  public RowIds(String[] paths, long[] numbers) {
    super(paths, numbers);
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

  @Override
  Object keyOf(String path) {
    return URI.create(path); // file:///a and file:/a are equal as URIs
  }

  /** Return the id of the first row of a file. */
  public long first(URI path) {
    return firstOf(path);
  }
}

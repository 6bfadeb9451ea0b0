package provhouse.capturing.sources;

import org.apache.spark.unsafe.types.UTF8String;

/**
 * The ids of the rows of an Iceberg table: the number of a row's file, then the row's position in
 * the file. Files are named as in Iceberg's column {@code _file}.
 */
public final class IcebergIds extends FileIds {
  private static final long serialVersionUID = 1L;

  IcebergIds(String[] files, long[] numbers) {
    super(files, numbers);
  }

  @Override
  Object keyOf(String path) {
    return path;
  }

  /** Return a row's id. Generated code calls this for each row. */
  public long id(UTF8String file, long position) {
    return first(file) + position;
  }
}

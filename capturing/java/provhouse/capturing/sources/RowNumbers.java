package provhouse.capturing.sources;

import java.lang.reflect.Field;
import java.util.PrimitiveIterator;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.spark.sql.execution.datasources.RecordReaderIterator;
import org.apache.spark.sql.execution.datasources.parquet.ParquetRowIndexUtil.RowIndexGenerator;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import scala.collection.Iterator;

/**
 * Fills the column with ids in batches of rows.
 *
 * <p>It replaces one of Spark's generators, which makes an object for each row.
 */
final class RowNumbers extends RowIndexGenerator {
  private static final Field READER = field(RecordReaderIterator.class, "rowReader");
  private static final Field GENERATOR =
      field(VectorizedParquetRecordReader.class, "rowIndexGenerator");

  private final long firstOfFile;
  private long next;
  private PrimitiveIterator.OfLong chosen;

  private RowNumbers(int column, long firstOfFile) {
    super(column);
    this.firstOfFile = firstOfFile;
  }

  /**
   * Let a new reader of batches fill a column with ids. Return false if the reader reads single
   * rows.
   */
  static boolean replaced(Iterator<?> rows, int column, long firstOfFile) {
    try {
      Object reader = rows instanceof RecordReaderIterator ? READER.get(rows) : null;
      if (!(reader instanceof VectorizedParquetRecordReader)) {
        return false;
      }
      GENERATOR.set(reader, new RowNumbers(column, firstOfFile));
      return true;
    } catch (IllegalAccessException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Add {@code first} to the indexes of a batch of rows. */
  static void shift(WritableColumnVector indexes, long first, int rows) {
    for (int row = 0; row < rows; row++) {
      indexes.putLong(row, first + indexes.getLong(row));
    }
  }

  private static Field field(Class<?> owner, String name) {
    try {
      Field field = owner.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException error) {
      throw new IllegalStateException(
          "This version of Spark reads Parquet in an unknown way", error);
    }
  }

  @Override
  public void initFromPageReadStore(PageReadStore pages) {
    next = firstOfFile + pages.getRowIndexOffset().orElseThrow();
    chosen = pages.getRowIndexes().orElse(null); // indexes in the row group, if pages are skipped
  }

  @Override
  public void populateRowIndex(WritableColumnVector values, int rows) {
    for (int row = 0; row < rows; row++) {
      values.putLong(row, next + (chosen == null ? row : chosen.nextLong()));
    }
    if (chosen == null) {
      next += rows;
    }
  }
}

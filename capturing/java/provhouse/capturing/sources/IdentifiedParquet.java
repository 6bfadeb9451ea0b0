package provhouse.capturing.sources;

import java.io.Serializable;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import provhouse.capturing.spark.*;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.runtime.AbstractFunction1;

/**
 * Reads Parquet files like the format that it wraps, and adds the column {@code COLUMN} with the
 * id of each row.
 *
 * <p>Spark's own column with row indexes is not used, because it is part of a hidden struct that
 * Spark makes for each row before it filters the rows.
 */
final class IdentifiedParquet extends ChangedParquet {
  /** The column that Spark's reader fills with the index of each row, if the schema has it. */
  static final String COLUMN = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME();

  private static final long serialVersionUID = 1L;
  private final RowIds ids;

  IdentifiedParquet(ParquetFileFormat files, RowIds ids) {
    super(files);
    this.ids = ids;
  }

  @Override
  protected Function1<PartitionedFile, Iterator<InternalRow>> changed(
      Function1<PartitionedFile, Iterator<InternalRow>> reader, StructType required) {
    boolean used = java.util.List.of(required.fieldNames()).contains(COLUMN);
    return used ? new Reader(reader, ids, required.fieldIndex(COLUMN)) : reader;
  }

  private static final class Reader
      extends AbstractFunction1<PartitionedFile, Iterator<InternalRow>> implements Serializable {
    private static final long serialVersionUID = 1L;
    private final Function1<PartitionedFile, Iterator<InternalRow>> reader;
    private final RowIds ids;
    private final int column;

    Reader(Function1<PartitionedFile, Iterator<InternalRow>> reader, RowIds ids, int column) {
      this.reader = reader;
      this.ids = ids;
      this.column = column;
    }

    @Override
    @SuppressWarnings("unchecked")
    public Iterator<InternalRow> apply(PartitionedFile file) {
      long first = ids.first(file.toPath().toUri());
      Iterator<?> rows = reader.apply(file);
      if (!RowNumbers.replaced(rows, column, first)) {
        rows = ((Iterator<Object>) rows).map(each -> from(first, each));
      }
      return (Iterator<InternalRow>) rows;
    }

    /**
     * Turn the indexes of rows into ids. Delta's reader returns batches here, if it has changed
     * them; in other batches, the column already contains ids.
     */
    private Object from(long first, Object found) {
      if (found instanceof ColumnarBatch batch) {
        RowNumbers.shift((WritableColumnVector) batch.column(column), first, batch.numRows());
      } else {
        InternalRow row = (InternalRow) found;
        row.setLong(column, first + row.getLong(column));
      }
      return found;
    }
  }

  @Override
  public boolean supportBatch(SparkSession session, StructType schema) {
    return files.supportBatch(session, schema);
  }

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    return files.isSplitable(session, options, path);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IdentifiedParquet parquet
        && parquet.files.equals(files)
        && parquet.ids.equals(ids);
  }

  @Override
  public int hashCode() {
    return ids.hashCode();
  }
}

package provhouse.capturing.spark;

import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;

/**
 * Parquet files whose rows a subclass changes. Scala 2.12 and 2.13 have different types of
 * sequences.
 */
public abstract class ChangedParquet extends ParquetFileFormat {
  private static final long serialVersionUID = 1L;
  protected final ParquetFileFormat files;

  protected ChangedParquet(ParquetFileFormat files) {
    this.files = files;
  }

  /**
   * Return a reader that changes the rows of another reader, which have the columns {@code
   * required}.
   */
  protected abstract Function1<PartitionedFile, Iterator<InternalRow>> changed(
      Function1<PartitionedFile, Iterator<InternalRow>> reader, StructType required);

  @Override
  public Function1<PartitionedFile, Iterator<InternalRow>> buildReaderWithPartitionValues(
      SparkSession session,
      StructType data,
      StructType partitions,
      StructType required,
      Seq<Filter> filters,
      Map<String, String> options,
      Configuration settings) {
    return changed(
        files.buildReaderWithPartitionValues(
            session, data, partitions, required, filters, options, settings),
        required);
  }

  @Override
  public Option<Seq<String>> vectorTypes(
      StructType required, StructType partitions, SQLConf settings) {
    return files.vectorTypes(required, partitions, settings);
  }
}

package provhouse.capturing.spark;

import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Nil$;

/** Files whose rows a subclass changes. Scala 2.12 and 2.13 have different types of sequences. */
public abstract class ChangedFiles implements FileFormat, Serializable {
  private static final long serialVersionUID = 1L;
  protected final FileFormat files;

  protected ChangedFiles(FileFormat files) {
    this.files = files;
  }

  /** Return the given columns, except columns that the subclass adds. */
  protected abstract StructType inFiles(StructType columns);

  /**
   * Return a reader that changes the rows of another reader, so that they have the columns {@code
   * required}, followed by the columns {@code partitions}.
   */
  protected abstract Function1<PartitionedFile, Iterator<InternalRow>> changed(
      Function1<PartitionedFile, Iterator<InternalRow>> reader,
      StructType required,
      StructType partitions);

  /**
   * Return a reader of all rows. It does not get the filters, since Spark filters the rows later.
   */
  @Override
  @SuppressWarnings("unchecked")
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
            session,
            inFiles(data),
            partitions,
            inFiles(required),
            (Seq<Filter>) (Object) Nil$.MODULE$,
            options,
            settings),
        required,
        partitions);
  }

  @Override
  public Option<StructType> inferSchema(
      SparkSession session, Map<String, String> options, Seq<FileStatus> found) {
    return files.inferSchema(session, options, found);
  }

  @Override
  public OutputWriterFactory prepareWrite(
      SparkSession session, Job job, Map<String, String> options, StructType columns) {
    return files.prepareWrite(session, job, options, columns);
  }

  @Override
  public boolean isSplitable(SparkSession session, Map<String, String> options, Path path) {
    return files.isSplitable(session, options, path);
  }

  @Override
  public boolean supportDataType(DataType type) {
    return files.supportDataType(type);
  }
}

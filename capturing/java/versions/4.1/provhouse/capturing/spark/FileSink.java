package provhouse.capturing.spark;

import java.lang.reflect.Field;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSink;
import org.apache.spark.sql.execution.streaming.sinks.FileStreamSinkLog;
import org.apache.spark.sql.execution.streaming.sinks.SinkFileStatus;
import scala.Option;
import scala.collection.Iterable;
import scala.collection.immutable.Map;

/**
 * The sink of a stream that writes files, and lists the files of each batch in a log. Spark 4.1
 * moved the classes of such sinks to another package.
 */
public record FileSink(FileStreamSink sink) {
  /** Return the sink of a stream that writes files, or null for another sink. */
  public static FileSink of(Table sink) {
    return sink instanceof FileStreamSink files ? new FileSink(files) : null;
  }

  public String path() {
    return field("path");
  }

  public FileFormat format() {
    return field("fileFormat");
  }

  public Map<String, String> options() {
    return field("options");
  }

  /** Return the names of the columns of partitions. */
  public Iterable<String> partitions() {
    return field("partitionColumnNames");
  }

  /** Return the number of the last batch in the log, or -1 if the log is empty. */
  public long last() {
    Option<Object> found = log().getLatestBatchId();
    return found.isDefined() ? (Long) found.get() : -1;
  }

  /**
   * Return the files in the record of a batch, or null if the log has no such record. Some records
   * also list the files of all earlier batches.
   */
  public Set<String> files(long batch) {
    Option<?> found = log().get(batch);
    return found.isDefined() ? paths(found.get()) : null;
  }

  /** Return the files of all batches in the log. */
  public Set<String> files() {
    return paths(log().allFiles());
  }

  private FileStreamSinkLog log() {
    return field("fileLog");
  }

  @SuppressWarnings("unchecked")
  private <T> T field(String name) {
    try {
      Field found = FileStreamSink.class.getDeclaredField(name);
      found.setAccessible(true);
      return (T) found.get(sink);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException("This version of Spark is unknown", error);
    }
  }

  private static Set<String> paths(Object listed) {
    Set<String> found = new TreeSet<>();
    for (Object each : (Object[]) listed) {
      found.add(((SinkFileStatus) each).path());
    }
    return found;
  }
}

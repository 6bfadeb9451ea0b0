package provhouse.capturing.spark;

import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.streaming.runtime.IncrementalExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.streaming.runtime.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.StreamingQuery;

/** A running stream. Spark 4.1 moved the classes of streams to another package. */
public record RunningStream(Table sink, QueryExecution batch) {
  /** The class whose methods plan the batches of streams. */
  public static final String PLANNER = IncrementalExecution.class.getName();

  /**
   * Return a query's sink and its last batch, which may be null. Return null for an unknown kind of
   * query.
   */
  public static RunningStream of(StreamingQuery query) {
    if (query instanceof StreamingQueryWrapper wrapper) {
      StreamExecution stream = wrapper.streamingQuery();
      return new RunningStream(stream.sink(), stream.lastExecution());
    }
    return null;
  }
}

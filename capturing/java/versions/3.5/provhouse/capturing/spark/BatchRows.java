package provhouse.capturing.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.LogicalRDD;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * Plans of rows that are in an RDD. In Spark 3.5, such a plan does not record which stream the rows
 * come from.
 */
public final class BatchRows {
  private BatchRows() {}

  /** Return a scan of the same rows with the columns {@code output}. */
  public static LogicalRDD with(Seq<Attribute> output, LogicalRDD rows, SparkSession session) {
    return rows.copy(
        output,
        rows.rdd(),
        rows.outputPartitioning(),
        rows.outputOrdering(),
        rows.isStreaming(),
        session,
        Option.empty(),
        Option.empty());
  }
}

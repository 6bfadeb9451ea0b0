package provhouse.capturing.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.LogicalRDD;
import scala.Option;
import scala.collection.immutable.Seq;

/**
 * Plans of rows that are in an RDD. From Spark 4.0 on, such a plan records which stream the rows
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
        rows.stream(),
        (org.apache.spark.sql.classic.SparkSession) session,
        Option.empty(),
        Option.empty());
  }
}

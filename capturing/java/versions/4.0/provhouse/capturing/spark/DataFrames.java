package provhouse.capturing.spark;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset$;

/** Frames and sessions. From Spark 4.0 on, their classes have a common interface with Connect. */
public final class DataFrames {
  private DataFrames() {}

  /** Return the rows of a plan as a frame. */
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Dataset$.MODULE$.ofRows((org.apache.spark.sql.classic.SparkSession) session, plan);
  }

  /** Return the analysed plan of a frame. */
  public static LogicalPlan plan(Dataset<Row> frame) {
    return ((org.apache.spark.sql.classic.Dataset<Row>) frame).logicalPlan();
  }

  /** Return a new session with its own settings, which are copied from another session. */
  public static SparkSession cloned(SparkSession session) {
    return ((org.apache.spark.sql.classic.SparkSession) session).cloneSession();
  }
}

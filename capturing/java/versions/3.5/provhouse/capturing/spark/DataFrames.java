package provhouse.capturing.spark;

import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.StructType;

/** Frames and sessions. From Spark 4.0 on, their classes have a common interface with Connect. */
public final class DataFrames {
  private DataFrames() {}

  /** Return the rows of a plan as a frame. */
  public static Dataset<Row> of(SparkSession session, LogicalPlan plan) {
    return Dataset.ofRows(session, plan);
  }

  /** Return a plan of the rows of an RDD. */
  public static LogicalPlan of(SparkSession session, RDD<InternalRow> rows, StructType columns) {
    return session.internalCreateDataFrame(rows, columns, false).logicalPlan();
  }

  /** Return the analysed plan of a frame. */
  public static LogicalPlan plan(Dataset<Row> frame) {
    return frame.logicalPlan();
  }

  /** Return a new session with its own settings, which are copied from another session. */
  public static SparkSession cloned(SparkSession session) {
    return session.cloneSession();
  }
}

package provhouse.capturing.plans;

import org.apache.spark.Dependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.RDDOperationScope;
import org.apache.spark.sql.execution.SQLExecutionRDD;
import scala.Option;

/**
 * RDDs with the rows of a plan. Such a plan may use rows that none of the RDD's dependencies shows:
 * those of broadcast joins and of subqueries.
 */
public final class PlannedRows {
  private static final String SCAN = "Scan";

  private PlannedRows() {}

  /**
   * Return whether rows of an RDD may derive from more than the RDD's dependencies.
   *
   * <p>{@code spark.read.json(rdd)} has a plan that only scans the program's RDD, and that of {@code
   * spark.read.csv(rdd)} only scans and filters it. Spark makes the rows of a checkpoint without such
   * an RDD.
   */
  public static boolean mayHide(RDD<?> rdd) {
    boolean planned = rdd instanceof SQLExecutionRDD && !isScan(rdd) && !CsvLines.have(rdd);
    return planned || rdd.checkpointData().isDefined();
  }

  /** Return whether the last operator of the plan is a scan, which has no other input. */
  private static boolean isScan(RDD<?> rdd) {
    Dependency<?> input = Plans.<Dependency<?>>list(rdd.dependencies()).get(0);
    Option<RDDOperationScope> operator = input.rdd().scope();
    return operator.isDefined() && operator.get().name().startsWith(SCAN);
  }
}

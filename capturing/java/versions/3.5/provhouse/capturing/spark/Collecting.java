package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;

/** The functions that collect arrays. Before Spark 4.2, these functions always leave out NULL. */
public final class Collecting {
  private Collecting() {}

  /** Return whether an array made by collect_list or collect_set leaves out NULL. */
  public static boolean skipsNull(AggregateFunction collect) {
    return true;
  }
}

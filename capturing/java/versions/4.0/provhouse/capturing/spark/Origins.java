package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.trees.Origin;

/**
 * The places in a program at which plans were created. Before Spark 4.0, Spark recorded only
 * positions in SQL texts.
 */
public final class Origins {
  private Origins() {}

  /**
   * Return the file and line in a Python program that created a plan, or null if they are unknown.
   */
  public static String python(Origin origin) {
    return origin.pysparkErrorContext().isDefined()
        ? origin.pysparkErrorContext().get()._2()
        : null;
  }

  /**
   * Return the calls that led to a plan, beginning with Spark's own method, or no calls if they are
   * unknown.
   */
  public static StackTraceElement[] calls(Origin origin) {
    return origin.stackTrace().isDefined() ? origin.stackTrace().get() : new StackTraceElement[0];
  }
}

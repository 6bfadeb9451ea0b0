package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.trees.Origin;

/**
 * The places in a program that plans come from. Versions before Spark 4.0 record only places in SQL
 * texts.
 */
public final class Origins {
  private Origins() {}

  /** Return the file and line of a Python program, or null. */
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

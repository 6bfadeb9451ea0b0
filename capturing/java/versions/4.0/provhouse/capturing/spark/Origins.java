package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.trees.Origin;

/** The places of a program that plans come from. Before Spark 4.0, only SQL texts are known. */
public final class Origins {
  private Origins() {}

  /** Return the file and line in Python, or null. */
  public static String python(Origin origin) {
    return origin.pysparkErrorContext().isDefined()
        ? origin.pysparkErrorContext().get()._2()
        : null;
  }

  /** Return the calls that led to a plan, Spark's own method first; none if they are unknown. */
  public static StackTraceElement[] calls(Origin origin) {
    return origin.stackTrace().isDefined() ? origin.stackTrace().get() : new StackTraceElement[0];
  }
}

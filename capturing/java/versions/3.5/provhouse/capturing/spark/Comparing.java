package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.StringType;

/** The equality of values. Spark 3.5 does not have collations and does not compare maps. */
public final class Comparing {
  private Comparing() {}

  /** Return whether strings of a type are equal if and only if their bytes are equal. */
  public static boolean isByBytes(StringType type) {
    return true;
  }

  /**
   * Return a value whose bytes are equal for equal strings. Call this only for a type for which
   * {@code isByBytes} is false.
   */
  public static Expression key(Expression text) {
    throw new IllegalStateException("Spark 3.5 has no collations");
  }

  /** Return a value in which the entries of maps are in a fixed order. */
  public static Expression sorted(Expression value) {
    return value;
  }
}

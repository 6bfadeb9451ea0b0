package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.expressions.CollationKey;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortExpression$;
import org.apache.spark.sql.types.StringType;

/** The equality of values. Spark 4.0 has collations for strings, and compares maps. */
public final class Comparing {
  private Comparing() {}

  /** Return whether strings of a type are equal if and only if their bytes are equal. */
  public static boolean isByBytes(StringType type) {
    return type.isUTF8BinaryCollation();
  }

  /**
   * Return a value whose bytes are equal for equal strings. Call this only for a type for which
   * {@code isByBytes} is false.
   */
  public static Expression key(Expression text) {
    return new CollationKey(text);
  }

  /** Return a value in which the entries of maps are in a fixed order. */
  public static Expression sorted(Expression value) {
    return InsertMapSortExpression$.MODULE$.insertMapSortRecursively(value);
  }
}

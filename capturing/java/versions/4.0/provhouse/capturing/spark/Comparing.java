package provhouse.capturing.spark;

import org.apache.spark.sql.catalyst.expressions.CollationKey;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.optimizer.InsertMapSortExpression$;
import org.apache.spark.sql.types.StringType;

/** The equality of values. Spark 4.0 has collations of texts, and compares maps. */
public final class Comparing {
  private Comparing() {}

  /** Return whether two texts of a type are equal exactly if their bytes are equal. */
  public static boolean isByBytes(StringType type) {
    return type.isUTF8BinaryCollation();
  }

  /** Return a value whose bytes are equal for equal texts of a type, which is not by bytes. */
  public static Expression key(Expression text) {
    return new CollationKey(text);
  }

  /** Return a value whose maps have their entries in a fixed order. */
  public static Expression sorted(Expression value) {
    return InsertMapSortExpression$.MODULE$.insertMapSortRecursively(value);
  }
}

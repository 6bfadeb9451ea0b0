package provhouse.capturing.rules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.Plans;
import provhouse.capturing.sources.KeyText;

/**
 * Marks the rows of a frame as those of a table that is never written, to be items of their own.
 *
 * <p>It is the condition of a filter that lets every row pass. The condition is not deterministic, so
 * that Spark keeps it above what it is above. {@code Marks} makes a tap of it.
 */
public final class Mark implements Serializable {
  private static final long serialVersionUID = 1L;
  private final String table;
  private final List<String> key;

  private Mark(String table, List<String> key) {
    this.table = table;
    this.key = new ArrayList<>(key);
  }

  /**
   * Return a frame whose rows are marked as those of a table; its key has these columns.
   *
   * <p>Refuse a key that the frame cannot have.
   */
  public static Dataset<Row> marked(Dataset<Row> frame, String table, List<String> key) {
    List<Expression> texts =
        KeyText.texts(
            Plans.<Attribute>list(frame.logicalPlan().output()),
            key,
            table,
            frame.sparkSession().sessionState().conf());
    Expression condition =
        Plans.call(
            new Mark(table, key),
            "passes",
            DataTypes.BooleanType,
            List.of(new CreateArray(Plans.seq(texts), false)),
            false);
    return Dataset$.MODULE$.ofRows(
        frame.sparkSession(), new Filter(condition, frame.logicalPlan()));
  }

  String table() {
    return table;
  }

  List<String> key() {
    return key;
  }

  /** Let a row pass, in a plan that is not captured. */
  public boolean passes(ArrayData key) {
    return true;
  }

  /** Return the mark that a filter makes, or null. */
  static Mark of(Filter filter) {
    Expression condition = filter.condition();
    if (condition instanceof Invoke && ((Invoke) condition).targetObject() instanceof Literal) {
      Object value = ((Literal) ((Invoke) condition).targetObject()).value();
      return value instanceof Mark ? (Mark) value : null;
    }
    return null;
  }

  /** Return the columns of the key of a filter that makes a mark, as texts. */
  static List<Expression> keyOf(Filter filter) {
    List<Expression> arguments = Plans.list(((Invoke) filter.condition()).arguments());
    return Plans.list(arguments.get(0).children());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Mark
        && ((Mark) other).table.equals(table)
        && ((Mark) other).key.equals(key);
  }

  @Override
  public int hashCode() {
    return table.hashCode();
  }

  @Override
  public String toString() {
    return "mark of " + table;
  }
}

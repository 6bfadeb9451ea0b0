package provhouse.capturing.rules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.sources.*;
import provhouse.capturing.spark.*;

/**
 * Marks the rows of a frame as rows of a table that is never written, so that they become items.
 *
 * <p>A mark is the condition of a filter that lets every row pass. The condition is declared as not
 * deterministic, so that Spark does not move the filter. {@code Marks} turns the filter into a tap.
 */
public record Mark(String table, List<String> key) implements Serializable {
  /**
   * Return a frame whose rows are marked as rows of a table with these key columns.
   *
   * <p>Refuse key columns that are missing in the frame or cannot be keys.
   */
  public static Dataset<Row> marked(Dataset<Row> frame, String table, List<String> key) {
    SparkSession session = frame.sparkSession();
    LogicalPlan rows = DataFrames.plan(frame);
    List<Expression> texts =
        KeyText.texts(Plans.output(rows), key, table, session.sessionState().conf());
    Expression condition =
        Plans.call(
            new Mark(table, new ArrayList<>(key)), // a list of py4j cannot leave the driver
            "passes",
            DataTypes.BooleanType,
            List.of(new CreateArray(Plans.seq(texts), false)),
            false);
    return DataFrames.of(session, new Filter(condition, rows));
  }

  /** Return true, which lets a row pass. This is called only in plans that are not captured. */
  public boolean passes(ArrayData key) {
    return true;
  }

  /** Return the mark of a filter, or null. */
  static Mark of(Filter filter) {
    return Plans.called(filter, Mark.class);
  }

  /** Return the key columns of a mark's filter, as strings. */
  static List<Expression> keyOf(Filter filter) {
    List<Expression> arguments = Plans.list(((Invoke) filter.condition()).arguments());
    return Plans.children(arguments.get(0));
  }

  @Override
  public String toString() {
    return "mark of " + table;
  }
}

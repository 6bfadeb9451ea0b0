package provhouse.capturing.rules;

import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.NumericType;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;

/**
 * Finds the value that each row contributes to an aggregate. A tap below the aggregate writes it.
 */
final class Values {
  private static final Set<String> FUNCTIONS = Set.of("sum", "min", "max", "avg");

  private Values() {}

  /**
   * Return an expression for the bits of the number that each input row contributes to an
   * aggregate, or null if the number is unknown.
   *
   * <p>The number is known if the aggregate computes a single function, of all rows, and each input
   * row comes from one source row. A source row is then in only one group, with one number. NULL
   * stays NULL.
   */
  static Expression of(Aggregate node, List<Slot> slots) {
    if (slots.size() != 1
        || slots.get(0).tap() != Form.ROWS || !Existence.countsSources(node.child())) {
      return null;
    }
    List<AggregateExpression> found = Rewriter.functions(node);
    if (found.size() != 1 || !isPlain(found.get(0))) {
      return null;
    }
    Expression given = Plans.children(found.get(0).aggregateFunction()).get(0);
    if (given instanceof UnscaledValue decimal) { // Spark sums integers, and scales the sum
      given = decimal.child();
    }
    return given.dataType() instanceof NumericType && given.deterministic() ? bits(given) : null;
  }

  private static boolean isPlain(AggregateExpression found) {
    return FUNCTIONS.contains(found.aggregateFunction().prettyName())
        && !found.isDistinct()
        && found.filter().isEmpty();
  }

  /** Return the bits of a number. -0.0 becomes 0.0, since the bits of -0.0 represent NULL. */
  private static Expression bits(Expression given) {
    Expression number = Plans.as(given, DataTypes.DoubleType);
    return Operators.call(
        Double.class,
        "doubleToRawLongBits",
        DataTypes.LongType,
        Plans.seq(List.of(new NormalizeNaNAndZero(number))),
        Plans.seq());
  }
}

package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.GroupKey;

/**
 * A condition of a join that compares a value of the right side with a value of the left side.
 *
 * <p>Both values are numbers that are ordered as the values are. So in the order of {@code right},
 * the rows that match a row of the left side are all rows before, after or around some position.
 */
record Comparison(Expression right, String operator, Expression left) {
  private static final Map<String, String> REVERSED =
      Map.of("<", ">", "<=", ">=", ">", "<", ">=", "<=", "<>", "<>");

  /** Return the only comparison of a condition, or null for any other condition. */
  static Comparison of(Expression condition, Join node) {
    Expression inner = condition instanceof Not not ? not.child() : condition;
    String operator = operator(condition);
    if (operator == null || !(inner instanceof BinaryComparison compared)) {
      return null;
    }
    Expression first = ordered(compared.left());
    Expression second = ordered(compared.right());
    if (first == null || second == null) {
      return null;
    }
    if (isOf(compared.left(), node.right()) && isOf(compared.right(), node.left())) {
      return new Comparison(first, operator, second);
    }
    return isOf(compared.left(), node.left()) && isOf(compared.right(), node.right())
        ? new Comparison(second, REVERSED.get(operator), first)
        : null;
  }

  /**
   * Return a value as a number, or null if its type is not covered. The value is NULL if computing
   * it fails: a tap computes it for all rows, but the join only for rows with equal keys.
   */
  private static Expression ordered(Expression value) {
    Expression found = GroupKey.ordered(value);
    return found == null ? null : new TryEval(found);
  }

  private static String operator(Expression condition) {
    if (condition instanceof Not not) {
      return not.child() instanceof EqualTo ? "<>" : null;
    }
    return condition instanceof LessThan
        ? "<"
        : condition instanceof LessThanOrEqual
            ? "<="
            : condition instanceof GreaterThan
                ? ">"
                : condition instanceof GreaterThanOrEqual ? ">=" : null;
  }

  private static boolean isOf(Expression value, LogicalPlan side) {
    Set<Object> columns = new HashSet<>();
    Plans.output(side).forEach(each -> columns.add(each.exprId()));
    return value.deterministic()
        && Plans.parts(value, PlanExpression.class).isEmpty()
        && Plans.references(value).stream().allMatch(each -> columns.contains(each.exprId()));
  }
}

package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;
import scala.Function1;

/**
 * The rule for scalar subqueries: each row of an operator derives from all rows of the subqueries
 * in the operator.
 *
 * <p>An optimised plan only has uncorrelated subqueries, since Spark turns correlated ones into
 * joins. A tap in each subquery writes the subquery's rows with the key 0, and the rows of the
 * operator carry this key.
 */
record Subqueries(Rewriter rewriter, Taps taps) {
  /** An operator whose subqueries have taps, and the numbers of these taps. */
  record Tapped(LogicalPlan node, List<Integer> numbers) {}

  Tapped tapped(LogicalPlan node) {
    List<Integer> numbers = new ArrayList<>();
    Function1<Expression, Expression> rule = each -> rewritten(each, node, numbers);
    return new Tapped((LogicalPlan) node.mapExpressions(rule), numbers);
  }

  /** Return the rows of an operator with further slots, one for each subquery in the operator. */
  static Rewritten carrying(Rewritten rows, List<Integer> numbers) {
    LogicalPlan plan = rows.plan();
    List<Slot> slots = new ArrayList<>(rows.slots());
    for (int number : numbers) {
      Alias key = Plans.alias(Plans.number(0), "provhouse_subquery");
      plan = Plans.withColumn(plan, key);
      slots.add(new Slot(key.toAttribute(), number));
    }
    return new Rewritten(plan, slots);
  }

  private Expression rewritten(Expression expression, LogicalPlan node, List<Integer> numbers) {
    if (Plans.isPruning(expression)) {
      return expression;
    }
    if (expression instanceof ScalarSubquery subquery && !subquery.isCorrelated()) {
      return tapped(subquery, numbers);
    }
    if (expression instanceof PlanExpression) {
      throw Unsupported.operator(
          expression.getClass().getSimpleName(), "It is in the operator " + node.nodeName());
    }
    Function1<Expression, Expression> rule = each -> rewritten(each, node, numbers);
    return (Expression) expression.mapChildren(rule);
  }

  private Expression tapped(ScalarSubquery subquery, List<Integer> numbers) {
    LogicalPlan plain = subquery.plan();
    Rewritten rows = rewriter.rewrite(plain);
    Map<String, Object> operator = Taps.operator(plain, List.of(), rows.slots(), "exact");
    int number = taps.number("subquery", plain, operator);
    if (!numbers.contains(number)) {
      numbers.add(number);
    }
    Alias key = Plans.alias(Plans.number(0), "provhouse_key");
    LogicalPlan tapped = taps.keyed(number, GroupKey.ONE, key, rows);
    return (Expression) subquery.withNewPlan(Plans.only(Plans.output(plain), tapped));
  }
}

package provhouse.capturing;

import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain;
import org.apache.spark.sql.catalyst.expressions.DynamicPruning;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Finds subqueries in expressions that no rule covers. */
final class Subqueries {
  private Subqueries() {}

  static void refuse(LogicalPlan node) {
    Plans.list(node.expressions()).forEach(each -> refuse(each, node));
  }

  private static void refuse(Expression expression, LogicalPlan node) {
    if (expression instanceof DynamicPruning || expression instanceof BloomFilterMightContain) {
      return; // Spark's own filters, which remove only rows that a join above removes anyway
    }
    if (expression instanceof PlanExpression) {
      throw Unsupported.operator(
          expression.getClass().getSimpleName(), "It is in the operator " + node.nodeName());
    }
    Plans.list(expression.children()).forEach(each -> refuse(each, node));
  }
}

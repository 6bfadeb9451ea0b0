package provhouse.capturing.plans;

import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.BloomFilterMightContain;
import org.apache.spark.sql.catalyst.expressions.DynamicPruning;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;

/**
 * Replaces the leaves of an optimised plan, also in its subqueries.
 *
 * <p>Spark's own filters by the rows of a join's other side, which have a copy of that side's plan,
 * are removed: they only save time, and Spark adds them again.
 */
public final class PlanMap {
  private final UnaryOperator<LogicalPlan> leaf;

  public PlanMap(UnaryOperator<LogicalPlan> leaf) {
    this.leaf = leaf;
  }

  public LogicalPlan apply(LogicalPlan plan) {
    LogicalPlan inlined = CommonTables.inlined(plan);
    if (Plans.list(inlined.children()).isEmpty()) {
      return leaf.apply(inlined);
    }
    Function1<LogicalPlan, LogicalPlan> below = this::apply;
    Function1<Expression, Expression> inside = this::apply;
    LogicalPlan found = (LogicalPlan) inlined.mapChildren(below);
    return (LogicalPlan) found.mapExpressions(inside);
  }

  private Expression apply(Expression expression) {
    if (expression instanceof DynamicPruning || expression instanceof BloomFilterMightContain) {
      return new Literal(true, DataTypes.BooleanType);
    }
    Function1<Expression, Expression> inside = this::apply;
    Expression found = (Expression) expression.mapChildren(inside);
    if (found instanceof PlanExpression && ((PlanExpression<?>) found).plan() instanceof LogicalPlan) {
      @SuppressWarnings("unchecked")
      PlanExpression<LogicalPlan> subquery = (PlanExpression<LogicalPlan>) found;
      return (Expression) subquery.withNewPlan(apply(subquery.plan()));
    }
    return found;
  }
}

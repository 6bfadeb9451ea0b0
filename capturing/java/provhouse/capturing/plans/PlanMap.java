package provhouse.capturing.plans;

import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import scala.Function1;

/**
 * Replaces the leaves of an optimised plan and of its subqueries.
 *
 * <p>It removes the filters that Spark itself adds to one side of a join, since these filters
 * contain copies of leaves of the other side. Spark adds them again when it plans the result.
 */
public record PlanMap(UnaryOperator<LogicalPlan> leaf) {
  public LogicalPlan apply(LogicalPlan plan) {
    LogicalPlan inlined = CommonTables.inlined(plan);
    if (Plans.children(inlined).isEmpty()) {
      return leaf.apply(inlined);
    }
    Function1<Expression, Expression> unpruned = PlanMap::unpruned;
    return Plans.mapped((LogicalPlan) inlined.mapExpressions(unpruned), this::apply);
  }

  private static Expression unpruned(Expression expression) {
    if (Plans.isPruning(expression)) {
      return new Literal(true, DataTypes.BooleanType);
    }
    Function1<Expression, Expression> inside = PlanMap::unpruned;
    return (Expression) expression.mapChildren(inside);
  }
}

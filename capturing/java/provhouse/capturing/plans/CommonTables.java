package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationDef;
import org.apache.spark.sql.catalyst.plans.logical.CTERelationRef;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import provhouse.capturing.Unsupported;
import scala.Function1;

/**
 * Puts the plans of common table expressions in the places where they are used.
 *
 * <p>The optimizer makes some itself, when it merges similar scalar subqueries. Spark still computes
 * equal plans once. An expression that is not deterministic must be computed once: it is refused.
 */
public final class CommonTables {
  private final Map<Long, LogicalPlan> known = new HashMap<>();

  private CommonTables() {}

  /** Return a plan with nothing defined on top of it. */
  public static LogicalPlan inlined(LogicalPlan plan) {
    if (!(plan instanceof WithCTE)) {
      return plan;
    }
    CommonTables tables = new CommonTables();
    WithCTE defining = (WithCTE) plan;
    for (CTERelationDef each : Plans.<CTERelationDef>list(defining.cteDefs())) {
      if (!each.deterministic()) {
        throw Unsupported.operator("WITH", "It defines what is not deterministic, and uses it twice");
      }
      tables.known.put(each.id(), tables.replaced(each.child())); // it may use earlier ones
    }
    return tables.replaced(defining.plan());
  }

  private LogicalPlan replaced(LogicalPlan plan) {
    if (plan instanceof CTERelationRef) {
      return used((CTERelationRef) plan);
    }
    Function1<LogicalPlan, LogicalPlan> below = this::replaced;
    Function1<Expression, Expression> inside = this::replaced;
    LogicalPlan found = (LogicalPlan) plan.mapChildren(below);
    return (LogicalPlan) found.mapExpressions(inside);
  }

  private Expression replaced(Expression expression) {
    Function1<Expression, Expression> inside = this::replaced;
    Expression found = (Expression) expression.mapChildren(inside);
    if (found instanceof PlanExpression && ((PlanExpression<?>) found).plan() instanceof LogicalPlan) {
      @SuppressWarnings("unchecked")
      PlanExpression<LogicalPlan> subquery = (PlanExpression<LogicalPlan>) found;
      return (Expression) subquery.withNewPlan(replaced(subquery.plan()));
    }
    return found;
  }

  private LogicalPlan used(CTERelationRef reference) {
    LogicalPlan plan = known.get(reference.cteId());
    if (plan == null) {
      throw Unsupported.operator("WITH", "It uses a table that is defined elsewhere");
    }
    List<Attribute> from = Plans.list(plan.output());
    List<Attribute> to = Plans.list(reference.output());
    List<NamedExpression> columns = new ArrayList<>();
    for (int i = 0; i < to.size(); i++) {
      boolean same = from.get(i).exprId().equals(to.get(i).exprId());
      columns.add(same ? from.get(i) : Plans.renamed(from.get(i), to.get(i)));
    }
    return new Project(Plans.seq(columns), plan);
  }
}

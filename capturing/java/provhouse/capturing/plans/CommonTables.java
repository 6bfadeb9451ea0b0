package provhouse.capturing.plans;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.*;
import provhouse.capturing.Unsupported;

/**
 * Replaces each use of a common table expression by the plan of the expression.
 *
 * <p>Spark's optimizer also makes such expressions itself, when it merges similar scalar
 * subqueries. After the replacement, Spark still computes equal plans only once. An expression that
 * is not deterministic is refused, since its rows must be computed exactly once.
 */
public final class CommonTables {
  private final Map<Long, LogicalPlan> known = new HashMap<>();

  private CommonTables() {}

  /** Return a plan in which the common table expressions that its top node defines are replaced. */
  public static LogicalPlan inlined(LogicalPlan plan) {
    if (!(plan instanceof WithCTE defining)) {
      return plan;
    }
    CommonTables tables = new CommonTables();
    for (CTERelationDef each : Plans.<CTERelationDef>list(defining.cteDefs())) {
      if (!each.deterministic()) {
        throw Unsupported.operator(
            "WITH", "It defines a table that is not deterministic, and uses it twice");
      }
      tables.known.put(each.id(), tables.replaced(each.child())); // a table may use earlier tables
    }
    return tables.replaced(defining.plan());
  }

  private LogicalPlan replaced(LogicalPlan plan) {
    return plan instanceof CTERelationRef reference
        ? used(reference)
        : Plans.mapped(plan, this::replaced);
  }

  private LogicalPlan used(CTERelationRef reference) {
    LogicalPlan plan = known.get(reference.cteId());
    if (plan == null) {
      throw Unsupported.operator("WITH", "It uses a table that is defined elsewhere");
    }
    List<Attribute> from = Plans.output(plan);
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute to : Plans.output(reference)) {
      Attribute column = from.get(columns.size());
      columns.add(column.exprId().equals(to.exprId()) ? column : Plans.renamed(column, to));
    }
    return Plans.only(columns, plan);
  }
}

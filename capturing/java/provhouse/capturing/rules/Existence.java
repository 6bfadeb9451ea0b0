package provhouse.capturing.rules;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.InnerLike;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import provhouse.capturing.plans.PlanVisitor;
import provhouse.capturing.plans.Plans;

/**
 * What the existence of the rows of a plan depends on.
 *
 * <p>It is exact if a row exists as long as all source rows that ride on it exist, or one source row
 * of its group. It is not after a condition on an aggregate, a LIMIT, or a join with groups, nor for
 * any operator that is not named here.
 */
final class Existence {
  /**
   * The rows of a plan: whether they may be groups, whether several source rows may ride on one, and
   * the ids of columns that change when a group loses a row.
   */
  private record Rows(boolean grouped, boolean joined, Set<Object> computed) {
    static final Rows PLAIN = new Rows(false, false, Set.of());

    boolean computes(Expression expression) {
      return Plans.references(expression).stream()
          .anyMatch(each -> computed.contains(each.exprId()));
    }
  }

  private Existence() {}

  /** Return whether the slots of each row say when it exists, if no value of a source changes. */
  static boolean isExact(LogicalPlan plan) {
    return new OfRows().visit(plan) != null;
  }

  /** Returns the rows of a plan, or null if their existence is not exact. */
  private static final class OfRows implements PlanVisitor<Rows> {
    @Override
    public Rows visit(LogicalPlan node) {
      return hasSubquery(node) ? null : PlanVisitor.super.visit(node);
    }

    private Rows input(LogicalPlan node) {
      return visit(Plans.children(node).get(0));
    }

    @Override
    public Rows other(LogicalPlan node) {
      return null;
    }

    @Override
    public Rows scan(LogicalRelation node) {
      return Rows.PLAIN;
    }

    @Override
    public Rows local(LogicalPlan node) {
      return Rows.PLAIN;
    }

    @Override
    public Rows moving(LogicalPlan node) {
      return input(node);
    }

    @Override
    public Rows project(Project node) {
      Rows input = input(node);
      return input == null
          ? null
          : new Rows(input.grouped, input.joined, changed(node.projectList(), input));
    }

    @Override
    public Rows filter(Filter node) {
      Rows input = input(node);
      return input == null || input.computes(node.condition()) ? null : input;
    }

    @Override
    public Rows expand(Expand node) {
      return ungrouped(input(node));
    }

    @Override
    public Rows generate(Generate node) {
      return ungrouped(input(node));
    }

    private static Rows ungrouped(Rows input) {
      return input == null || input.grouped ? null : input;
    }

    @Override
    public Rows aggregate(Aggregate node) {
      Rows input = input(node);
      return input == null
              || input.joined
              || Plans.list(node.groupingExpressions()).stream().anyMatch(input::computes)
          ? null
          : new Rows(true, false, changed(node.aggregateExpressions(), input));
    }

    @Override
    public Rows join(Join node) {
      boolean plain =
          Plans.children(node).stream().allMatch(each -> ungrouped(visit(each)) != null);
      return node.joinType() instanceof InnerLike && plain ? new Rows(false, true, Set.of()) : null;
    }

    @Override
    public Rows union(Union node) {
      List<Attribute> output = Plans.output(node);
      Rows all = Rows.PLAIN;
      for (LogicalPlan child : Plans.children(node)) {
        Rows rows = visit(child);
        if (rows == null) {
          return null;
        }
        Set<Object> computed = new HashSet<>(all.computed);
        List<Attribute> columns = Plans.output(child);
        for (int at = 0; at < output.size(); at++) {
          if (rows.computed.contains(columns.get(at).exprId())) {
            computed.add(output.get(at).exprId());
          }
        }
        all = new Rows(all.grouped || rows.grouped, all.joined || rows.joined, computed);
      }
      return all;
    }
  }

  /** Return the ids of those columns that an aggregate computes, or that use such a column. */
  private static Set<Object> changed(
      scala.collection.Iterable<NamedExpression> columns, Rows input) {
    Set<Object> found = new HashSet<>();
    for (NamedExpression column : Plans.<NamedExpression>list(columns)) {
      Expression expression = (Expression) column;
      if (input.computes(expression) || !Plans.parts(expression, AggregateExpression.class).isEmpty()) {
        found.add(column.exprId());
      }
    }
    return found;
  }

  /** Return whether a count of the rows of a plan is the number of their source rows. */
  static boolean countsSources(LogicalPlan plan) {
    return new OfSources().visit(plan);
  }

  /** Returns whether each row of a plan is one row of a table. */
  private static final class OfSources implements PlanVisitor<Boolean> {
    @Override
    public Boolean other(LogicalPlan node) {
      return false;
    }

    @Override
    public Boolean scan(LogicalRelation node) {
      return true;
    }

    @Override
    public Boolean project(Project node) {
      return filtered(node);
    }

    @Override
    public Boolean filter(Filter node) {
      return filtered(node);
    }

    @Override
    public Boolean moving(LogicalPlan node) {
      return filtered(node);
    }

    private boolean filtered(LogicalPlan node) {
      return !hasSubquery(node) && visit(Plans.children(node).get(0));
    }
  }

  private static boolean hasSubquery(LogicalPlan node) {
    return Plans.list(node.expressions()).stream()
        .anyMatch(each -> !Plans.parts(each, PlanExpression.class).isEmpty());
  }
}

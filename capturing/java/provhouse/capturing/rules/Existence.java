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
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionOperation;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
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
      return Plans.<Attribute>list(expression.references().toSeq()).stream()
          .anyMatch(each -> computed.contains(each.exprId()));
    }
  }

  private Existence() {}

  /** Return whether the slots of each row say when it exists, if no value of a source changes. */
  static boolean isExact(LogicalPlan plan) {
    return rows(plan) != null;
  }

  /** Return the rows of a plan, or null if their existence is not exact. */
  private static Rows rows(LogicalPlan node) {
    List<Rows> inputs =
        Plans.<LogicalPlan>list(node.children()).stream().map(Existence::rows).toList();
    if (hasSubquery(node) || inputs.contains(null)) {
      return null;
    }
    if (isLeaf(node)) {
      return Rows.PLAIN;
    }
    if (node instanceof Union) {
      return union((Union) node, inputs);
    }
    if (node instanceof Join) {
      boolean plain = inputs.stream().noneMatch(Rows::grouped);
      return ((Join) node).joinType() instanceof InnerLike && plain
          ? new Rows(false, true, Set.of())
          : null;
    }
    return inputs.size() == 1 ? rows(node, inputs.get(0)) : null;
  }

  private static Rows rows(LogicalPlan node, Rows input) {
    if (node instanceof Project) {
      return new Rows(
          input.grouped(), input.joined(), computed(((Project) node).projectList(), input));
    }
    if (node instanceof Filter) {
      return input.computes(((Filter) node).condition()) ? null : input;
    }
    if (node instanceof Aggregate) {
      return aggregate((Aggregate) node, input);
    }
    if (node instanceof Expand || node instanceof Generate) {
      return input.grouped() ? null : input;
    }
    return keepsRows(node) ? input : null;
  }

  private static Rows aggregate(Aggregate node, Rows input) {
    boolean moves = Plans.<Expression>list(node.groupingExpressions()).stream()
        .anyMatch(input::computes);
    return moves || input.joined()
        ? null
        : new Rows(true, false, computed(node.aggregateExpressions(), input));
  }

  private static Rows union(Union node, List<Rows> inputs) {
    Set<Object> computed = new HashSet<>();
    List<Attribute> output = Plans.list(node.output());
    List<LogicalPlan> children = Plans.list(node.children());
    for (int i = 0; i < inputs.size(); i++) {
      List<Attribute> columns = Plans.list(children.get(i).output());
      for (int at = 0; at < output.size(); at++) {
        if (inputs.get(i).computed().contains(columns.get(at).exprId())) {
          computed.add(output.get(at).exprId());
        }
      }
    }
    return new Rows(
        inputs.stream().anyMatch(Rows::grouped), inputs.stream().anyMatch(Rows::joined), computed);
  }

  /** Return the ids of those columns that an aggregate computes, or that use such a column. */
  private static Set<Object> computed(
      scala.collection.Iterable<NamedExpression> columns, Rows input) {
    Set<Object> found = new HashSet<>();
    for (NamedExpression column : Plans.<NamedExpression>list(columns)) {
      Expression expression = (Expression) column;
      if (input.computes(expression) || has(expression, AggregateExpression.class)) {
        found.add(column.exprId());
      }
    }
    return found;
  }

  /** Return whether a count of the rows of a plan is the number of their source rows. */
  static boolean countsSources(LogicalPlan node) {
    boolean keeps = node instanceof Project || node instanceof Filter || keepsRows(node);
    return !hasSubquery(node)
        && (node instanceof LogicalRelation
            || keeps && countsSources(Plans.<LogicalPlan>list(node.children()).get(0)));
  }

  private static boolean isLeaf(LogicalPlan node) {
    return node instanceof LogicalRelation
        || node instanceof LocalRelation
        || node instanceof OneRowRelation;
  }

  private static boolean keepsRows(LogicalPlan node) {
    return node instanceof Sort || node instanceof RepartitionOperation;
  }

  private static boolean hasSubquery(LogicalPlan node) {
    return Plans.<Expression>list(node.expressions()).stream()
        .anyMatch(each -> has(each, PlanExpression.class));
  }

  private static boolean has(Expression expression, Class<?> kind) {
    return kind.isInstance(expression)
        || Plans.<Expression>list(expression.children()).stream().anyMatch(each -> has(each, kind));
  }
}

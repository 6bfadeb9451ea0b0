package provhouse.capturing.rules;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.plans.*;

/**
 * The columns of the other sides of the joins above a plan.
 *
 * <p>Spark turns a correlated subquery into one side of a join with the outer rows. If the
 * condition of the subquery is not an equality, Spark first joins the subquery with the distinct
 * values of the outer rows, which an aggregate of the same columns computes. These values only
 * connect the subquery's rows with outer rows: the join above finds the outer rows by them. So a
 * row derives from its own outer row, but not from other outer rows with equal values. Such an
 * aggregate can be recognized because the two sides of a join in a user's own plan never have the
 * same columns.
 *
 * <p>{@code columns} are the ids of the output columns of the other sides. {@code below} are these
 * ids and the ids of all operators' columns in the plans of the other sides, since the optimizer
 * may have replaced a column of the other side by its definition.
 */
record OuterRows(Set<Object> columns, Set<Object> below) {
  static final OuterRows NONE = new OuterRows(Set.of(), Set.of());

  /**
   * Return these columns together with those of {@code side}, which is a side of a further join.
   */
  OuterRows and(LogicalPlan side) {
    OuterRows more = new OuterRows(new HashSet<>(columns), new HashSet<>(below));
    add(side, more.columns);
    addBelow(side, more.below);
    return more;
  }

  private static void add(LogicalPlan plan, Set<Object> found) {
    Plans.output(plan).forEach(each -> found.add(each.exprId()));
  }

  private static void addBelow(LogicalPlan plan, Set<Object> found) {
    add(plan, found);
    Plans.children(plan).forEach(child -> addBelow(child, found));
  }

  /** Return whether an aggregate only computes the distinct values of outer rows. */
  boolean has(Aggregate node) {
    List<NamedExpression> found = Plans.list(node.aggregateExpressions());
    return isBy(node, columns)
        && found.stream()
            .map(each -> each instanceof Alias alias ? alias.child() : (Expression) each)
            .allMatch(each -> isOne(each, columns));
  }

  /** Return whether an aggregate may group by the values of outer rows. */
  boolean mayHave(Aggregate node) {
    return isBy(node, below);
  }

  private static boolean isBy(Aggregate node, Set<Object> columns) {
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    return !grouping.isEmpty() && grouping.stream().allMatch(each -> isOne(each, columns));
  }

  private static boolean isOne(Expression value, Set<Object> columns) {
    return value instanceof Attribute column && columns.contains(column.exprId());
  }
}

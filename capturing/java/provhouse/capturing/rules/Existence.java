package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.InnerLike;
import org.apache.spark.sql.catalyst.plans.logical.*;
import provhouse.capturing.plans.*;

/**
 * Determines whether the existence of rows is exact, that is, whether their slots determine when
 * they exist.
 *
 * <p>It is exact if a row exists as long as all source rows in its slots exist or, for a group, as
 * long as one source row of the group exists. It is not exact after a condition on an aggregate, a
 * LIMIT, a join with groups, or an unknown operator.
 */
final class Existence {
  /**
   * The properties of a plan's rows: whether they may be groups, whether a row may carry several
   * source rows, and the ids of the columns that may change when a group loses a row.
   */
  private record Rows(boolean grouped, boolean joined, Set<Object> computed) {
    static final Rows PLAIN = new Rows(false, false, Set.of());

    boolean computes(Expression expression) {
      return Plans.references(expression).stream()
          .anyMatch(each -> computed.contains(each.exprId()));
    }
  }

  private Existence() {}

  /**
   * Return whether each row's slots determine when the row exists, provided that no source value
   * changes.
   */
  static boolean isExact(LogicalPlan plan) {
    return rows(plan) != null;
  }

  /** Return the properties of a plan's rows, or null if their existence is not exact. */
  private static Rows rows(LogicalPlan node) {
    List<Rows> inputs = new ArrayList<>();
    Plans.children(node).forEach(each -> inputs.add(rows(each)));
    if (hasSubquery(node) || inputs.contains(null)) {
      return null;
    }
    Rows input = inputs.isEmpty() ? null : inputs.get(0);
    return switch (Kind.of(node)) {
      case SCAN, TOPICS, ICEBERG, LOCAL -> Rows.PLAIN;
      case SORT, REPARTITION, WATERMARK -> input;
      case PROJECT -> new Rows(
          input.grouped, input.joined, changed(((Project) node).projectList(), input));
      case FILTER -> input.computes(((Filter) node).condition()) ? null : input;
      case EXPAND, GENERATE -> input.grouped ? null : input;
      case AGGREGATE -> aggregate((Aggregate) node, input);
      case JOIN -> ((Join) node).joinType() instanceof InnerLike
              && inputs.stream().noneMatch(Rows::grouped)
          ? new Rows(false, true, Set.of())
          : null;
      case UNION -> union((Union) node, inputs);
      case MERGE, WINDOW, DEDUPLICATE, SAMPLE, LIMIT, GROUP_LIMIT, PYTHON_COLUMNS, PYTHON_ROWS,
          PYTHON_GROUPS, CACHE, BATCH, OTHER -> null;
    };
  }

  private static Rows aggregate(Aggregate node, Rows input) {
    boolean moves = Plans.list(node.groupingExpressions()).stream().anyMatch(input::computes);
    return moves || input.joined()
        ? null
        : new Rows(true, false, changed(node.aggregateExpressions(), input));
  }

  private static Rows union(Union node, List<Rows> inputs) {
    Set<Object> computed = new HashSet<>();
    List<Attribute> output = Plans.output(node);
    List<LogicalPlan> children = Plans.children(node);
    for (int i = 0; i < inputs.size(); i++) {
      List<Attribute> columns = Plans.output(children.get(i));
      for (int at = 0; at < output.size(); at++) {
        if (inputs.get(i).computed().contains(columns.get(at).exprId())) {
          computed.add(output.get(at).exprId());
        }
      }
    }
    return new Rows(
        inputs.stream().anyMatch(Rows::grouped), inputs.stream().anyMatch(Rows::joined), computed);
  }

  /** Return the ids of the columns that an aggregate computes, or that use such a column. */
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

  /**
   * Return whether each row of a plan comes from one source row, so that a count of rows is a
   * count of source rows.
   */
  static boolean countsSources(LogicalPlan plan) {
    return !hasSubquery(plan) && switch (Kind.of(plan)) {
          case SCAN, TOPICS, ICEBERG -> true;
          case PROJECT, FILTER, SORT, REPARTITION, WATERMARK -> countsSources(Plans.children(plan).get(0));
          default -> false;
        };
  }

  private static boolean hasSubquery(LogicalPlan node) {
    return Plans.list(node.expressions()).stream()
        .anyMatch(each -> !Plans.parts(each, PlanExpression.class).isEmpty());
  }
}

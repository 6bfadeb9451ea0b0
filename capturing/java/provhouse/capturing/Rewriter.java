package provhouse.capturing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.InnerLike;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * Rewrites an optimised plan from the leaves up, so that each row carries what it derives from.
 *
 * <p>Where rows merge, a tap below writes the slots of each row with the key of its group, and the
 * key rides on as the only slot. So what is written is as large as the input, never quadratic.
 */
final class Rewriter {
  private static final int LONGEST_TEXT = 1000;
  private final SourceFiles files;
  private final Taps taps;

  Rewriter(SourceFiles files, Taps taps) {
    this.files = files;
    this.taps = taps;
  }

  Rewritten rewrite(LogicalPlan node) {
    Subqueries.refuse(node);
    if (node instanceof Project) {
      return project((Project) node);
    }
    if (node instanceof Join) {
      return join((Join) node);
    }
    if (node instanceof Aggregate) {
      return aggregate((Aggregate) node);
    }
    if (node instanceof LogicalRelation) {
      return Sources.scan((LogicalRelation) node, files);
    }
    if (carries(node)) {
      Rewritten child = rewrite(Plans.list(node.children()).get(0));
      return new Rewritten(withChildren(node, child.plan()), child.slots());
    }
    throw Unsupported.operator(node.nodeName(), "It is in the plan of what is written");
  }

  /** Return whether the rows of an operator are rows of its input, columns and all. */
  private static boolean carries(LogicalPlan node) {
    return node instanceof Filter
        || node instanceof Sort
        || node instanceof GlobalLimit
        || node instanceof LocalLimit;
  }

  private Rewritten project(Project node) {
    Rewritten child = rewrite(node.child());
    List<NamedExpression> columns =
        Plans.joined(Plans.list(node.projectList()), Plans.attributes(child.slots()));
    return new Rewritten(node.copy(Plans.seq(columns), child.plan()), child.slots());
  }

  private Rewritten join(Join node) {
    if (!(node.joinType() instanceof InnerLike)) {
      throw Unsupported.operator(
          node.joinType().sql().toLowerCase() + " join", "It is in the plan of what is written");
    }
    Rewritten left = rewrite(node.left());
    Rewritten right = rewrite(node.right());
    return new Rewritten(
        withChildren(node, left.plan(), right.plan()), Plans.joined(left.slots(), right.slots()));
  }

  private Rewritten aggregate(Aggregate node) {
    Rewritten child = rewrite(node.child());
    List<Expression> grouping = Plans.list(node.groupingExpressions());
    GroupKey key = GroupKey.of(grouping);
    Alias below = Plans.alias(key.value(), "provhouse_key");
    Project keyed = Plans.withColumn(child.plan(), below);
    int number =
        taps.number(
            Plans.withColumn(node.child(), Plans.alias(key.value(), "key")),
            operator(node, grouping, child.slots(), key));
    List<Attribute> written =
        Plans.joined(List.of(below.toAttribute()), Plans.attributes(child.slots()));
    LogicalPlan tapped = Plans.tapped(taps.tap(number, written.size()), written, keyed);
    Alias above = Plans.alias(key.value(), "provhouse_group");
    List<NamedExpression> columns =
        Plans.joined(Plans.list(node.aggregateExpressions()), List.of(above));
    LogicalPlan plan =
        node.copy(node.groupingExpressions(), Plans.seq(columns), tapped, node.hint());
    Attribute group = above.toAttribute();
    if (!key.distinct()) {
      plan = Plans.tapped(taps.proof(number), List.of(group), plan);
    }
    return new Rewritten(plan, List.of(new Slot(group, number)));
  }

  private static Map<String, Object> operator(
      Aggregate node, List<Expression> grouping, List<Slot> slots, GroupKey key) {
    String by = grouping.stream().map(Expression::sql).collect(Collectors.joining(", "));
    Map<String, Object> operator = new LinkedHashMap<>();
    operator.put("kind", "aggregate");
    operator.put("by", shortened(by));
    operator.put("sql", shortened(node.simpleString(LONGEST_TEXT)));
    operator.put("slots", slots.stream().map(Slot::tap).collect(Collectors.toList()));
    operator.put("proved", !key.distinct());
    return operator;
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  static LogicalPlan withChildren(LogicalPlan node, LogicalPlan... children) {
    return (LogicalPlan) node.withNewChildren(Plans.seq(new ArrayList<>(List.of(children))));
  }
}

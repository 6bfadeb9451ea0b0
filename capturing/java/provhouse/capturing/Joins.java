package provhouse.capturing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.FullOuter$;
import org.apache.spark.sql.catalyst.plans.InnerLike;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The rules for joins. */
final class Joins {
  private final Rewriter rewriter;
  private final Taps taps;
  private boolean absence;

  Joins(Rewriter rewriter, Taps taps) {
    this.rewriter = rewriter;
    this.taps = taps;
  }

  boolean hasAbsence() {
    return absence;
  }

  Rewritten join(Join node) {
    JoinType type = node.joinType();
    if (type instanceof InnerLike) {
      return both(node);
    }
    if (type == LeftSemi$.MODULE$) {
      return semi(node);
    }
    absence = true;
    if (type == LeftOuter$.MODULE$ || type == RightOuter$.MODULE$ || type == FullOuter$.MODULE$) {
      return both(node);
    }
    if (type == LeftAnti$.MODULE$) { // no row of the right side is in the result
      Rewritten left = rewriter.rewrite(node.left());
      LogicalPlan plan = Rewriter.withChildren(node, left.plan(), node.right());
      return new Rewritten(plan, left.slots());
    }
    throw Unsupported.operator(
        type.sql().toLowerCase() + " join", "It is in the plan of what is written");
  }

  private Rewritten both(Join node) {
    Rewritten left = rewriter.rewrite(node.left());
    Rewritten right = rewriter.rewrite(node.right());
    LogicalPlan plan = Rewriter.withChildren(node, left.plan(), right.plan());
    Map<Object, Attribute> output = new HashMap<>(); // an outer join makes columns nullable
    Plans.<Attribute>list(plan.output()).forEach(each -> output.put(each.exprId(), each));
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : Plans.<Slot>joined(left.slots(), right.slots())) {
      slots.add(slot.with(output.get(slot.attribute().exprId())));
    }
    return new Rewritten(plan, slots);
  }

  /** Rewrite a semi join: a row derives from each row on the right that has its key. */
  private Rewritten semi(Join node) {
    var found = ExtractEquiJoinKeys$.MODULE$.unapply(node);
    if (found.isEmpty() || Plans.list(found.get()._2()).size() != 1) {
      throw refusal("It compares " + node.condition().map(Expression::sql));
    }
    Expression leftKey = key(Plans.list(found.get()._2()).get(0));
    Expression rightKey = key(Plans.list(found.get()._3()).get(0));
    boolean residual = found.get()._4().isDefined() || found.get()._5().isDefined();
    Rewritten left = rewriter.rewrite(node.left());
    Rewritten right = rewriter.rewrite(node.right());
    Map<String, Object> operator = new LinkedHashMap<>();
    operator.put("by", Rewriter.shortened(rightKey.sql()));
    operator.put("sql", Rewriter.shortened(node.condition().map(Expression::sql).toString()));
    operator.put("slots", right.slots().stream().map(Slot::tap).collect(Collectors.toList()));
    operator.put("exactness", residual ? "superset" : "exact");
    Alias below = Plans.alias(rightKey, "provhouse_key");
    int number =
        taps.number(
            residual ? "semi join with a condition" : "semi join",
            Plans.withColumn(node.right(), Plans.alias(rightKey, "key")),
            operator);
    List<Attribute> written =
        Plans.joined(List.of(below.toAttribute()), Plans.attributes(right.slots()));
    LogicalPlan tapped =
        Plans.tapped(
            taps.tap(number, written.size()), written, Plans.withColumn(right.plan(), below));
    LogicalPlan narrow = Plans.only(Plans.list(node.right().output()), tapped);
    Alias above = Plans.alias(leftKey, "provhouse_match");
    LogicalPlan plan =
        Plans.withColumn(Rewriter.withChildren(node, left.plan(), narrow), above);
    return new Rewritten(
        plan, Plans.joined(left.slots(), List.of(new Slot(above.toAttribute(), number))));
  }

  /** Return a number that is equal exactly if the value is; NULL stays, since it has no match. */
  private static Expression key(Expression value) {
    Expression number = GroupKey.number(value);
    if (number == null) {
      throw refusal("It compares " + value.sql() + ", which is no integer or date");
    }
    return number;
  }

  private static Unsupported refusal(String found) {
    return Unsupported.operator("left semi join", found);
  }
}

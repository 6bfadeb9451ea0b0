package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.*;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import provhouse.capturing.Unsupported;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/** The rules for joins. */
record Joins(Rewriter rewriter, Taps taps) {
  Rewritten join(Join node) {
    JoinType type = node.joinType();
    if (type instanceof InnerLike) {
      return both(node);
    }
    if (type == LeftSemi$.MODULE$) {
      return semi(node, null);
    }
    rewriter.noteAbsence();
    if (type instanceof ExistenceJoin found) { // a row without a match stays, with the value false
      return semi(node, found.exists());
    }
    if (type == LeftOuter$.MODULE$ || type == RightOuter$.MODULE$ || type == FullOuter$.MODULE$) {
      return both(node);
    }
    if (type == LeftAnti$.MODULE$) { // no row of the right side is in the result
      Rewritten left = rewriter.rewrite(node.left());
      LogicalPlan plan = Broadcasts.joined(node, left.plan(), node.right());
      return new Rewritten(plan, left.slots());
    }
    throw Unsupported.operator(
        type.sql().toLowerCase() + " join", "It is in the plan of the written rows");
  }

  private Rewritten both(Join node) {
    Rewritten left = rewriter.rewriteBeside(node.right(), node.left());
    Rewritten right = rewriter.rewriteBeside(node.left(), node.right());
    LogicalPlan plan = Broadcasts.joined(node, left.plan(), right.plan());
    Map<Object, Attribute> output = new HashMap<>(); // an outer join makes columns nullable
    Plans.output(plan).forEach(each -> output.put(each.exprId(), each));
    List<Slot> slots = new ArrayList<>();
    for (Slot slot : Plans.<Slot>joined(left.slots(), right.slots())) {
      slots.add(slot.with(output.get(slot.attribute().exprId())));
    }
    return new Rewritten(plan, slots);
  }

  /** The keys of both sides of an equi-join, and whether there is a further condition. */
  private record Keys(List<Expression> left, List<Expression> right, boolean residual) {
    static Keys of(Join node) {
      var found = ExtractEquiJoinKeys$.MODULE$.unapply(node);
      if (found.isEmpty()) {
        return new Keys(List.of(), List.of(), node.condition().isDefined());
      }
      boolean residual = found.get()._4().isDefined();
      return new Keys(Plans.list(found.get()._2()), Plans.list(found.get()._3()), residual);
    }
  }

  /**
   * Rewrite a semi join: a row also derives from each row on the right with the same keys.
   *
   * <p>{@code exists} is null for a semi join. For an existence join, it is the column that is true
   * if such a row on the right exists.
   */
  private Rewritten semi(Join node, Attribute exists) {
    String name = exists == null ? "left semi join" : "existence join";
    Keys keys = Keys.of(node);
    GroupKey leftKey = GroupKey.matching(keys.left(), name);
    Rewritten left = rewriter.rewrite(node.left());
    Rewritten right = rewriter.rewriteBeside(node.left(), node.right());
    GroupKey rightKey = GroupKey.matching(keys.right(), name).from(right.slots());
    Alias below = Plans.alias(rightKey.value(), "provhouse_key");
    Map<String, Object> operator =
        Taps.operator(node, keys.right(), right.slots(), keys.residual() ? "superset" : "exact");
    operator.put(
        "sql", Taps.shortened(node.condition().isDefined() ? node.condition().get().sql() : ""));
    operator.put("place", Places.of(node));
    String kind = keys.residual() ? "semi join with a condition" : "semi join";
    int number = taps.number(kind, node.right(), rightKey, operator);
    LogicalPlan tapped = taps.keyed(number, rightKey, below, right);
    LogicalPlan narrow = Plans.only(Plans.output(node.right()), tapped);
    LogicalPlan joined = Broadcasts.joined(node, left.plan(), narrow);
    Expression match = leftKey.value();
    if (exists != null) {
      match = new If(exists, match, Plans.nothing());
    }
    Alias above = Plans.alias(match, "provhouse_match");
    return new Rewritten(
        Plans.withColumn(joined, above),
        Plans.joined(left.slots(), List.of(new Slot(above.toAttribute(), number))));
  }
}

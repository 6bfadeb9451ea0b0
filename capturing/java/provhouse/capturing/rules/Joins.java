package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys$;
import org.apache.spark.sql.catalyst.plans.*;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
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

  /** The keys of both sides of an equi-join, and the further condition or null. */
  private record Keys(List<Expression> left, List<Expression> right, Expression residual) {
    static Keys of(Join node) {
      var found = ExtractEquiJoinKeys$.MODULE$.unapply(node);
      if (found.isEmpty()) {
        return new Keys(List.of(), List.of(), orNull(node.condition()));
      }
      Expression residual = orNull(found.get()._4());
      return new Keys(Plans.list(found.get()._2()), Plans.list(found.get()._3()), residual);
    }

    private static Expression orNull(scala.Option<Expression> condition) {
      return condition.isDefined() ? condition.get() : null;
    }
  }

  /**
   * Rewrite a semi join: a row also derives from each row on the right with the same keys that
   * satisfies the further condition. If the condition is not a single comparison, the row derives
   * from each row with the same keys.
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
    GroupKey rightKey = GroupKey.matching(keys.right(), name);
    Comparison compared = keys.residual() == null ? null : Comparison.of(keys.residual(), node);
    boolean exact = keys.residual() == null || compared != null;
    Map<String, Object> operator =
        Taps.operator(node, keys.right(), right.slots(), exact ? "exact" : "superset");
    operator.put(
        "sql", Taps.shortened(node.condition().isDefined() ? node.condition().get().sql() : ""));
    operator.put("place", Places.of(node));
    if (compared != null) {
      return compared(node, left, right, leftKey, rightKey, compared, exists, operator);
    }
    rightKey = rightKey.from(right.slots());
    Alias below = Plans.alias(rightKey.value(), "provhouse_key");
    String kind = keys.residual() == null ? "semi join" : "semi join with a condition";
    int number = taps.number(kind, node.right(), rightKey, operator);
    LogicalPlan tapped = taps.keyed(number, rightKey, below, right);
    LogicalPlan narrow = Plans.only(Plans.output(node.right()), tapped);
    LogicalPlan joined = Broadcasts.joined(node, left.plan(), narrow);
    Alias above = Plans.alias(ifMatched(leftKey.value(), exists), "provhouse_match");
    return new Rewritten(
        Plans.withColumn(joined, above),
        Plans.joined(left.slots(), List.of(new Slot(above.toAttribute(), number))));
  }

  private static Expression ifMatched(Expression value, Attribute exists) {
    return exists == null ? value : new If(exists, value, Plans.nothing());
  }

  /**
   * Rewrite a semi join with a comparison. The tap on the right also writes the compared value, and
   * a tap above the join writes the key and the compared value of each matched row.
   */
  private Rewritten compared(
      Join node,
      Rewritten left,
      Rewritten right,
      GroupKey leftKey,
      GroupKey rightKey,
      Comparison compared,
      Attribute exists,
      Map<String, Object> operator) {
    operator.put("checked", rightKey.check() != null);
    operator.put("compared", compared.operator());
    operator.put("form", Form.MATCHING);
    int number = taps.number("semi join with a condition", node, operator);
    List<Attribute> written = new ArrayList<>();
    LogicalPlan tapped = Taps.added(rightKey.value(), "provhouse_key", right.plan(), written);
    if (rightKey.check() != null) {
      tapped = Taps.added(rightKey.check(), "provhouse_check", tapped, written);
    }
    tapped = Taps.added(compared.right(), "provhouse_value", tapped, written);
    Expression isNull = new IsNull(written.get(written.size() - 1)); // such a row never matches
    written.addAll(Slot.attributes(right.slots()));
    tapped = Taps.except(isNull, (Filter) taps.tapped(number, written, tapped));
    tapped = Plans.only(Plans.output(node.right()), tapped);
    LogicalPlan plan = Broadcasts.joined(node, left.plan(), tapped);
    List<Attribute> asked = new ArrayList<>();
    plan = Taps.added(leftKey.value(), "provhouse_match", plan, asked);
    plan = Taps.added(compared.left(), "provhouse_value", plan, asked);
    Expression part = ifMatched(GroupKey.ofPart(asked.get(0), asked.get(1)), exists);
    Alias above = Plans.alias(part, "provhouse_part");
    asked.add(0, above.toAttribute());
    return new Rewritten(
        taps.asked(number, asked, Plans.withColumn(plan, above)),
        Plans.joined(left.slots(), List.of(new Slot(above.toAttribute(), number))));
  }
}

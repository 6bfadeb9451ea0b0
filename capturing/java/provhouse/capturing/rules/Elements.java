package provhouse.capturing.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.plans.logical.*;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import provhouse.capturing.plans.*;
import provhouse.capturing.taps.*;

/**
 * The rule for an {@code explode} of the result of {@code collect_list} or {@code collect_set}.
 *
 * <p>In a list, each element carries the slots of its row. In a set, an element derives from all
 * rows of its group that have its value: a tap below the aggregate writes these rows with a key
 * made of the group and the value, and the same key is computed above the generator. The row that
 * an outer generator makes from an empty array derives from the whole group.
 */
final class Elements {
  private final Taps taps;
  private final Collected found;
  private final Generate node;
  private final Rewritten child;
  private final GroupKey group;
  /** The column with the group's number, or null if no slot needs it. */
  private final Alias number;
  /** The number of the tap that writes whole groups, or -1 if no row derives from a whole group. */
  private final int whole;

  private Elements(Taps taps, Generate node, Collected found, Rewritten child) {
    this.taps = taps;
    this.found = found;
    this.node = node;
    this.child = child;
    boolean needed = node.outer() || found.isSet();
    group = needed ? GroupKey.of(grouping(), "Aggregate").provedFrom(child.slots()) : null;
    number = needed ? Plans.alias(group.value(), "provhouse_group") : null;
    Aggregate merging = found.aggregate();
    whole = node.outer()
        ? Rewriter.groups(merging, merging.child(), child.slots(), group, null, taps)
        : -1;
  }

  /** Rewrite a generator, or return null if its rows derive from whole groups. */
  static Rewritten of(Generate node, Rewriter rewriter, Taps taps) {
    Collected found = Collected.of(node);
    if (found == null) {
      return null;
    }
    Elements elements =
        new Elements(taps, node, found, rewriter.rewrite(found.aggregate().child()));
    return found.isSet() ? elements.ofSet() : elements.ofList();
  }

  private List<Expression> grouping() {
    return Plans.list(found.aggregate().groupingExpressions());
  }

  private Rewritten ofList() {
    Alias collected = collected();
    Attribute elements = collected.toAttribute();
    Attribute item =
        Plans.column("provhouse_element", ((ArrayType) elements.dataType()).elementType());
    LogicalPlan exploded =
        node.copy(
            new Explode(elements),
            node.unrequiredChildIndex(),
            node.outer(),
            node.qualifier(),
            Plans.seq(List.of(item)),
            between(aggregated(child.plan(), collected), elements));
    return takenApart(exploded, item);
  }

  /**
   * Return the aggregate's array column in which each value is followed by the slots of its row.
   */
  private Alias collected() {
    List<Expression> fields = new ArrayList<>(List.of(Plans.text("value"), found.value()));
    for (Slot slot : child.slots()) {
      fields.add(Plans.text("slot" + fields.size()));
      fields.add(slot.attribute());
    }
    Expression carried = new CreateNamedStruct(Plans.seq(fields));
    if (found.value().nullable() && found.skipsNull()) {
      Literal none = new Literal(null, carried.dataType());
      carried = new If(new IsNull(found.value()), none, carried);
    }
    AggregateExpression function = found.function();
    Expression collect = (Expression) function.aggregateFunction();
    AggregateFunction carrying =
        (AggregateFunction) collect.withNewChildren(Plans.seq(List.of(carried)));
    return Plans.alias(
        function.copy(
            carrying,
            function.mode(),
            function.isDistinct(),
            function.filter(),
            NamedExpression$.MODULE$.newExprId()),
        "provhouse_elements");
  }

  /** Return the exploded rows with their slots and the columns of the plain generator. */
  private Rewritten takenApart(LogicalPlan exploded, Attribute item) {
    Expression value = Plans.field(item, 0);
    for (int place : found.fields()) {
      value = Plans.field(value, place);
    }
    List<NamedExpression> columns = new ArrayList<>(Plans.list(node.requiredChildOutput()));
    List<Attribute> made = Plans.list(node.generatorOutput());
    for (int place = 0; place < made.size(); place++) {
      Expression each = node.generator() instanceof Inline ? Plans.field(value, place) : value;
      columns.add(Plans.renamed(each, made.get(place)));
    }
    List<Slot> slots = new ArrayList<>();
    for (Slot each : child.slots()) {
      add(Plans.field(item, slots.size() + 1), each.tap(), columns, slots);
    }
    addWhole(item, columns, slots);
    return new Rewritten(Plans.only(columns, exploded), slots);
  }

  private Rewritten ofSet() {
    GroupKey key = group.element(group.value(), found.value());
    Map<String, Object> operator =
        Taps.operator(
            found.aggregate(),
            Plans.joined(grouping(), List.of(found.value())),
            child.slots(),
            "exact");
    operator.put("place", Places.of(found.aggregate()));
    int tap = taps.number("collect_set", found.aggregate().child(), key, operator);
    LogicalPlan tapped = taps.keyed(tap, key, Plans.alias(key.value(), "provhouse_key"), child);
    LogicalPlan plan = between(aggregated(tapped, found.column()), null);
    LogicalPlan exploded = Plans.withChildren(node, plan);
    Attribute item = Plans.<Attribute>list(node.generatorOutput()).get(0);
    Expression above = group.element(number.toAttribute(), item).value();
    if (node.outer()) {
      above = new If(new IsNull(item), Plans.nothing(), above);
    }
    List<NamedExpression> columns = new ArrayList<>(Plans.output(node));
    List<Slot> slots = new ArrayList<>();
    add(above, tap, columns, slots);
    addWhole(item, columns, slots);
    return new Rewritten(Plans.only(columns, exploded), slots);
  }

  private static void add(
      Expression value, int tap, List<NamedExpression> columns, List<Slot> slots) {
    Alias slot = Plans.alias(value, "provhouse_slot");
    columns.add(slot);
    slots.add(new Slot(slot.toAttribute(), tap));
  }

  /** Add the slot for the row that an outer generator makes from an empty array. */
  private void addWhole(Attribute item, List<NamedExpression> columns, List<Slot> slots) {
    if (node.outer()) {
      Expression group = Plans.asLong(number.toAttribute());
      add(new If(new IsNull(item), group, Plans.nothing()), whole, columns, slots);
    }
  }

  /**
   * Return the aggregate with {@code array} in place of its array, and with the group's number if
   * that is needed.
   */
  private LogicalPlan aggregated(LogicalPlan below, Alias array) {
    Aggregate plain = found.aggregate();
    List<NamedExpression> columns = new ArrayList<>();
    for (NamedExpression each : Plans.<NamedExpression>list(plain.aggregateExpressions())) {
      columns.add(each == found.column() ? array : each);
    }
    if (number != null) {
      columns.add(number);
    }
    LogicalPlan tapped =
        node.outer()
            ? taps.keyed(
                whole,
                group.unchecked(),
                Plans.alias(group.value(), "provhouse_key"),
                new Rewritten(below, child.slots()))
            : below;
    LogicalPlan plan =
        Plans.with(plain, Map.of("aggregateExpressions", Plans.seq(columns), "child", tapped));
    return node.outer() && !group.distinct()
        ? taps.proved(whole, number.toAttribute(), plan)
        : plan;
  }

  /**
   * Put the operators between the aggregate and the generator on top of {@code below}; return the
   * result.
   *
   * <p>{@code elements} is the column that replaces the array, or null if the array stays.
   */
  private LogicalPlan between(LogicalPlan below, Attribute elements) {
    LogicalPlan plan = below;
    for (Collected.Step step : found.between()) {
      plan =
          step.plan() instanceof Filter filter
              ? new Filter(condition(filter, step.array(), elements), plan)
              : Plans.only(columns((Project) step.plan(), step.array(), elements), plan);
    }
    return plan;
  }

  private static Expression condition(Filter filter, Attribute array, Attribute elements) {
    Expression all = null;
    for (Expression each : Collected.conjuncts(filter.condition())) {
      Expression one = each;
      if (elements != null && Collected.isFilled(each, array)) {
        one = new GreaterThan(new Size(elements, false), new Literal(0, DataTypes.IntegerType));
      }
      all = all == null ? one : new And(all, one);
    }
    return all;
  }

  private List<NamedExpression> columns(Project project, Attribute array, Attribute elements) {
    List<NamedExpression> columns = new ArrayList<>();
    for (NamedExpression each : Plans.<NamedExpression>list(project.projectList())) {
      columns.add(elements != null && each.exprId().equals(array.exprId()) ? elements : each);
    }
    if (number != null) {
      columns.add(number.toAttribute());
    }
    return columns;
  }
}

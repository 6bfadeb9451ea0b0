package provhouse.capturing.rules;

import java.util.*;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectList;
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectSet;
import org.apache.spark.sql.catalyst.plans.logical.*;
import provhouse.capturing.plans.*;
import provhouse.capturing.spark.*;
import provhouse.capturing.taps.*;

/**
 * An array that an aggregate collects and an {@code explode} splits into elements. Of the
 * aggregate's other columns, the operators above it use only grouping columns.
 *
 * <p>So each row above the {@code explode} depends only on one element, and not on other rows of
 * its group.
 */
final class Collected {
  private final Deque<Step> between = new ArrayDeque<>();
  /** The positions of the fields taken from each element, in the order in which they are taken. */
  private final Deque<Integer> fields = new ArrayDeque<>();
  /** The ids of the columns, except the array, that the operators examined so far use. */
  private Set<Object> used = new HashSet<>();
  private Attribute array;
  private Aggregate aggregate;
  private Alias column;
  private AggregateExpression function;

  /** A filter or projection below the generator, and its output column with the array. */
  record Step(LogicalPlan plan, Attribute array) {}

  private Collected() {}

  /**
   * Return the array that a generator splits into elements, or null if the generator's rows derive
   * from whole groups.
   */
  static Collected of(Generate node) {
    Collected found = new Collected();
    boolean known = node.generator() instanceof Explode || node.generator() instanceof Inline;
    return known && found.follow(node) ? found : null;
  }

  /** Return the operators between the aggregate and the generator, the lowest first. */
  List<Step> between() {
    return new ArrayList<>(between);
  }

  List<Integer> fields() {
    return new ArrayList<>(fields);
  }

  Aggregate aggregate() {
    return aggregate;
  }

  /** Return the aggregate's column that contains the array. */
  Alias column() {
    return column;
  }

  AggregateExpression function() {
    return function;
  }

  /** Return the expression that is collected. */
  Expression value() {
    return Plans.children(function.aggregateFunction()).get(0);
  }

  /** Return whether equal values of a group become one element. */
  boolean isSet() {
    return function.aggregateFunction() instanceof CollectSet || function.isDistinct();
  }

  private boolean follow(Generate node) {
    if (!take(((UnaryExpression) node.generator()).child())) {
      return false;
    }
    use(Plans.list(node.requiredChildOutput()));
    LogicalPlan plan = node.child();
    while (!used.contains(array.exprId()) && Plans.list(plan.subqueries()).isEmpty()) {
      if (plan instanceof Aggregate found) {
        return collects(found);
      }
      Step step = new Step(plan, array);
      boolean passes =
          plan instanceof Filter filter && passes(filter)
              || plan instanceof Project project && passes(project);
      if (!passes) {
        return false;
      }
      between.addFirst(step);
      plan = Plans.children(plan).get(0);
    }
    return false;
  }

  /**
   * Record the array that an expression reads and the fields that it takes from each element.
   * Return whether the expression does only this.
   */
  private boolean take(Expression value) {
    if (strip(value) instanceof Attribute found) {
      array = found;
      return true;
    }
    return false;
  }

  private Expression strip(Expression value) {
    Expression rest = value;
    while (rest instanceof GetArrayStructFields field) {
      fields.addFirst(field.ordinal());
      rest = field.child();
    }
    return rest;
  }

  private void use(List<Attribute> columns) {
    columns.forEach(each -> used.add(each.exprId()));
  }

  /**
   * Follow the columns through a filter, and return whether that is possible. Only the condition
   * that Spark itself adds may use the array.
   */
  private boolean passes(Filter filter) {
    if (Mark.of(filter) != null || !filter.condition().deterministic()) {
      return false;
    }
    for (Expression each : conjuncts(filter.condition())) {
      if (!isFilled(each, array)) {
        use(Plans.references(each));
      }
    }
    return true;
  }

  static List<Expression> conjuncts(Expression condition) {
    return condition instanceof And both
        ? Plans.joined(conjuncts(both.left()), conjuncts(both.right()))
        : List.of(condition);
  }

  /** Return whether a condition is the one that Spark adds below an explode: size(array) > 0. */
  static boolean isFilled(Expression condition, Attribute array) {
    return condition instanceof GreaterThan comparison
        && comparison.left() instanceof Size size
        && size.child().semanticEquals(array)
        && comparison.right() instanceof Literal literal
        && Integer.valueOf(0).equals(literal.value());
  }

  private boolean passes(Project project) {
    Set<Object> above = used;
    Object id = array.exprId();
    used = new HashSet<>();
    Expression taken = null;
    for (NamedExpression each : Plans.<NamedExpression>list(project.projectList())) {
      if (!((Expression) each).deterministic()) {
        return false;
      }
      if (each.exprId().equals(id)) {
        taken = each instanceof Alias alias ? alias.child() : (Expression) each;
      } else if (above.contains(each.exprId())) {
        use(Plans.references((Expression) each));
      }
    }
    if (taken == null || !take(taken)) {
      return false;
    }
    // Columns that are not used above must not need the array either, since its type changes.
    return Plans.<NamedExpression>list(project.projectList()).stream()
        .allMatch(
            each -> each.exprId().equals(id)
                || !((Expression) each).references().contains((NamedExpression) array));
  }

  private boolean collects(Aggregate found) {
    if (Sessions.of(found) != null) { // the groups of its input rows are known only above it
      return false;
    }
    aggregate = found;
    for (NamedExpression each : Plans.<NamedExpression>list(found.aggregateExpressions())) {
      if (each.exprId().equals(array.exprId()) && each instanceof Alias alias) {
        column = alias;
      } else if (used.contains(each.exprId())
          && !Plans.parts((Expression) each, AggregateExpression.class).isEmpty()) {
        return false;
      }
    }
    if (column != null && strip(column.child()) instanceof AggregateExpression collected) {
      function = collected;
      return isCovered();
    }
    return false;
  }

  /** Return whether NULL values are left out. */
  boolean skipsNull() {
    return Collecting.skipsNull(function.aggregateFunction());
  }

  private boolean isCovered() {
    Object collect = function.aggregateFunction();
    if (!(collect instanceof CollectList || collect instanceof CollectSet)
        || !value().deterministic()) {
      return false;
    }
    // The function decides whether 0.0 and -0.0 are one element, so sets of floats are not covered.
    return !isSet()
        || skipsNull()
            && fields.isEmpty()
            && function.filter().isEmpty()
            && GroupKey.isExact(value().dataType());
  }
}

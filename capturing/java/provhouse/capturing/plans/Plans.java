package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;
import provhouse.capturing.spark.*;
import scala.Function1;
import scala.Option;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.List$;
import scala.collection.immutable.Seq;

/**
 * Reads and makes plans and expressions of Catalyst, whose Scala classes are awkward to use in
 * Java.
 */
public final class Plans {
  private Plans() {}

  @SafeVarargs
  public static <T> Seq<T> seq(T... items) {
    return seq(List.of(items));
  }

  public static <T> Seq<T> seq(List<? extends T> items) {
    scala.collection.immutable.List<T> found = List$.MODULE$.empty();
    for (int i = items.size() - 1; i >= 0; i--) {
      found = found.$colon$colon(items.get(i));
    }
    return found;
  }

  public static <T> List<T> list(scala.collection.Iterable<T> items) {
    List<T> found = new ArrayList<>();
    Iterator<T> rest = items.iterator();
    while (rest.hasNext()) {
      found.add(rest.next());
    }
    return found;
  }

  public static <K, V> Map<K, V> map(scala.collection.Map<K, V> entries) {
    Map<K, V> found = new LinkedHashMap<>();
    for (Tuple2<K, V> each : list(entries)) {
      found.put(each._1(), each._2());
    }
    return found;
  }

  /** Return the value of a key, or null. Some of Spark's maps ignore the case of keys. */
  public static <K, V> V value(scala.collection.Map<K, V> entries, K key) {
    Option<V> found = entries.get(key);
    return found.isDefined() ? found.get() : null;
  }

  public static <T> List<T> joined(List<? extends T> first, List<? extends T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  public static List<Attribute> output(LogicalPlan plan) {
    return list(plan.output());
  }

  public static List<LogicalPlan> children(LogicalPlan plan) {
    return list(plan.children());
  }

  public static List<Expression> children(Expression expression) {
    return list(expression.children());
  }

  public static List<Attribute> references(Expression expression) {
    return list(expression.references().toSeq());
  }

  /** Return all instances of a class in an expression, including the expression itself. */
  public static <T> List<T> parts(Expression expression, Class<T> kind) {
    List<T> found = new ArrayList<>();
    if (kind.isInstance(expression)) {
      found.add(kind.cast(expression));
    }
    children(expression).forEach(each -> found.addAll(parts(each, kind)));
    return found;
  }

  /** Return the plan inside an expression, or null if the expression is not a subquery. */
  @SuppressWarnings("unchecked")
  public static PlanExpression<LogicalPlan> subquery(Expression expression) {
    boolean has =
        expression instanceof PlanExpression<?> found && found.plan() instanceof LogicalPlan;
    return has ? (PlanExpression<LogicalPlan>) expression : null;
  }

  /**
   * Return whether an expression is a filter that Spark itself adds to one side of a join.
   *
   * <p>Such a filter contains a copy of the plan of the join's other side. It only removes rows
   * that the join would remove later.
   */
  public static boolean isPruning(Expression expression) {
    return expression instanceof DynamicPruning || expression instanceof BloomFilterMightContain;
  }

  /** Return a plan with a rule applied to its children and to its expressions' subqueries. */
  public static LogicalPlan mapped(LogicalPlan plan, UnaryOperator<LogicalPlan> rule) {
    Function1<LogicalPlan, LogicalPlan> below = rule::apply;
    Function1<Expression, Expression> inside = each -> mapped(each, rule);
    return (LogicalPlan) ((LogicalPlan) plan.mapChildren(below)).mapExpressions(inside);
  }

  private static Expression mapped(Expression expression, UnaryOperator<LogicalPlan> rule) {
    Function1<Expression, Expression> inside = each -> mapped(each, rule);
    Expression found = (Expression) expression.mapChildren(inside);
    PlanExpression<LogicalPlan> subquery = subquery(found);
    return subquery == null ? found : (Expression) subquery.withNewPlan(rule.apply(subquery.plan()));
  }

  public static LogicalPlan withChildren(LogicalPlan node, LogicalPlan... children) {
    return (LogicalPlan) node.withNewChildren(seq(children));
  }

  /** Return the value of the operator's field with the given name, or null. */
  public static Object field(LogicalPlan plan, String name) {
    int place = Fields.names(plan).indexOf(name);
    return place < 0 ? null : plan.productElement(place);
  }

  /** Return a copy of an operator in which the named fields have the given values. */
  public static LogicalPlan with(LogicalPlan plan, Map<String, ?> values) {
    List<String> names = Fields.names(plan);
    Object[] fields = new Object[plan.productArity()];
    for (int i = 0; i < fields.length; i++) {
      Object value = values.get(names.get(i));
      fields[i] = value == null ? plan.productElement(i) : value;
    }
    return (LogicalPlan) plan.makeCopy(fields);
  }

  /** Return a new column that may be null. */
  public static AttributeReference column(String name, DataType type) {
    return new AttributeReference(
        name, type, true, Metadata.empty(), NamedExpression$.MODULE$.newExprId(), seq());
  }

  public static Alias alias(Expression value, String name) {
    return new Alias(
        value, name, NamedExpression$.MODULE$.newExprId(), seq(), Option.empty(), seq());
  }

  /** Return a value as a column that has the name and id of another column. */
  public static Alias renamed(Expression value, Attribute column) {
    return new Alias(
        value, column.name(), column.exprId(), column.qualifier(), Option.empty(), seq());
  }

  /** Return a plan's rows with the names and ids of other columns. */
  public static LogicalPlan renamed(LogicalPlan plan, List<Attribute> columns) {
    List<NamedExpression> own = new ArrayList<>();
    for (Attribute column : output(plan)) {
      own.add(renamed(column, columns.get(own.size())));
    }
    return only(own, plan);
  }

  public static Literal number(long value) {
    return new Literal(value, DataTypes.LongType);
  }

  public static Literal nothing() {
    return new Literal(null, DataTypes.LongType);
  }

  public static Literal text(String value) {
    return new Literal(UTF8String.fromString(value), DataTypes.StringType);
  }

  public static Expression field(Expression struct, int place) {
    return new GetStructField(struct, place, Option.empty());
  }

  public static Expression as(Expression value, DataType type) {
    return value.dataType().equals(type) ? value : cast(value, type, Option.empty());
  }

  public static Expression asLong(Expression value) {
    return as(value, DataTypes.LongType);
  }

  public static Expression asText(Expression value, String timeZone) {
    return cast(value, DataTypes.StringType, Option.apply(timeZone));
  }

  private static Cast cast(Expression value, DataType type, Option<String> timeZone) {
    return new Cast(value, type, timeZone, EvalMode$.MODULE$.LEGACY());
  }

  public static Expression orElse(Expression value, long otherwise) {
    return value.nullable() ? new Coalesce(seq(List.of(value, number(otherwise)))) : value;
  }

  public static SortOrder ascending(Expression value) {
    return new SortOrder(
        value, Ascending$.MODULE$, Ascending$.MODULE$.defaultNullOrdering(), seq());
  }

  /**
   * Return a call of a method of {@code target}, an object that is sent to the tasks with the
   * plan.
   */
  public static Expression call(
      Object target, String method, DataType type, List<Expression> arguments, boolean pure) {
    Literal literal = Literal.fromObject(target, new ObjectType(target.getClass()));
    return new Invoke(literal, method, type, seq(arguments), seq(), false, false, pure);
  }

  /**
   * Return the object whose method a filter calls as its condition, or last in its condition. Return null if the plan is not
   * such a filter, or if the object is not an instance of the given class.
   */
  public static <T> T called(LogicalPlan plan, Class<T> kind) {
    Expression condition = plan instanceof Filter filter ? filter.condition() : null;
    Expression last = condition instanceof If choice ? choice.falseValue() : condition;
    return last instanceof Invoke call
            && call.targetObject() instanceof Literal literal
            && kind.isInstance(literal.value())
        ? kind.cast(literal.value())
        : null;
  }

  /** Return the plan with one more column. */
  public static Project withColumn(LogicalPlan plan, Alias column) {
    return only(joined(output(plan), List.of(column)), plan);
  }

  /** Return the plan with only the given columns. */
  public static Project only(List<? extends NamedExpression> columns, LogicalPlan plan) {
    return new Project(seq(columns), plan);
  }

  /**
   * Return an optimized plan with its columns renamed to the given names, which the optimizer may
   * have changed.
   */
  public static LogicalPlan named(LogicalPlan plan, List<String> names) {
    List<NamedExpression> columns = new ArrayList<>();
    for (Attribute column : output(plan)) {
      String name = names.get(columns.size());
      columns.add(column.name().equals(name) ? column : alias(column, name));
    }
    return only(columns, plan);
  }
}

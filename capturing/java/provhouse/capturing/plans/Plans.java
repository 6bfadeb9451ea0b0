package provhouse.capturing.plans;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.CreateArray;
import org.apache.spark.sql.catalyst.expressions.EvalMode$;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression$;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.ObjectType;
import provhouse.capturing.taps.Slot;
import provhouse.capturing.taps.Tap;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.collection.immutable.Seq$;
import scala.jdk.javaapi.CollectionConverters;

/** Makes plans and expressions of Catalyst; its Scala classes are awkward to build in Java. */
public final class Plans {
  /** Stands for NULL in the columns of a tap. */
  public static final long NONE = Long.MIN_VALUE;

  /** The largest number of columns for which {@code Tap} has a method. */
  private static final int FEW = 8;

  private Plans() {}

  public static <T> Seq<T> seq(List<? extends T> items) {
    List<T> copy = new ArrayList<>(items);
    return Seq$.MODULE$.from(CollectionConverters.asScala(copy));
  }

  public static <T> List<T> list(scala.collection.Iterable<T> items) {
    List<T> found = new ArrayList<>();
    CollectionConverters.asJava(items.iterator()).forEachRemaining(found::add);
    return found;
  }

  public static <T> List<T> joined(List<? extends T> first, List<? extends T> second) {
    List<T> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  /** Return a new column of numbers that may be null. */
  public static AttributeReference numbers(String name) {
    return new AttributeReference(
        name,
        DataTypes.LongType,
        true,
        Metadata.empty(),
        NamedExpression$.MODULE$.newExprId(),
        seq(List.of()));
  }

  public static Alias alias(Expression value, String name) {
    return new Alias(
        value,
        name,
        NamedExpression$.MODULE$.newExprId(),
        seq(List.of()),
        Option.empty(),
        seq(List.of()));
  }

  /** Return a value under the name and id of another column. */
  public static Alias renamed(Expression value, Attribute column) {
    return new Alias(
        value, column.name(), column.exprId(), column.qualifier(), Option.empty(), seq(List.of()));
  }

  public static Literal number(long value) {
    return new Literal(value, DataTypes.LongType);
  }

  public static Literal nothing() {
    return new Literal(null, DataTypes.LongType);
  }

  public static Expression asLong(Expression value) {
    return value.dataType().equals(DataTypes.LongType)
        ? value
        : new Cast(value, DataTypes.LongType, Option.empty(), EvalMode$.MODULE$.LEGACY());
  }

  public static Expression orElse(Expression value, long otherwise) {
    return value.nullable() ? new Coalesce(seq(List.of(value, number(otherwise)))) : value;
  }

  /** Return a call of a method of an object that is sent to the tasks with the plan. */
  public static Expression call(
      Object target, String method, DataType type, List<Expression> arguments, boolean pure) {
    Literal literal = Literal.fromObject(target, new ObjectType(target.getClass()));
    return new Invoke(literal, method, type, seq(arguments), seq(List.of()), false, false, pure);
  }

  /** Return the plan with one more column. */
  public static Project withColumn(LogicalPlan plan, Alias column) {
    List<NamedExpression> columns = joined(list(plan.output()), List.of(column));
    return new Project(seq(columns), plan);
  }

  /** Return the plan with only these columns. */
  public static Project only(List<Attribute> columns, LogicalPlan plan) {
    return new Project(seq(columns), plan);
  }

  public static List<Attribute> attributes(List<Slot> slots) {
    List<Attribute> found = new ArrayList<>();
    slots.forEach(slot -> found.add(slot.attribute()));
    return found;
  }

  /**
   * Return a filter that lets every row pass and writes the values aside.
   *
   * <p>Its condition is not deterministic, so that no rule of Spark moves, merges or removes it.
   */
  public static Filter tapped(Tap tap, List<Attribute> values, LogicalPlan plan) {
    List<Expression> arguments = new ArrayList<>();
    values.forEach(value -> arguments.add(orElse(value, NONE)));
    boolean few = arguments.size() <= FEW;
    Expression condition = few
        ? call(tap, "put", DataTypes.BooleanType, arguments, false)
        : call(
            tap,
            "putAll",
            DataTypes.BooleanType,
            List.of(new CreateArray(seq(arguments), false)),
            false);
    return new Filter(condition, plan);
  }

  /** Return a filter that lets every row pass and writes numbers and texts aside. */
  public static Filter tapped(Tap tap, List<Attribute> values, List<Expression> texts, LogicalPlan plan) {
    if (texts.isEmpty()) {
      return tapped(tap, values, plan);
    }
    List<Expression> numbers = new ArrayList<>();
    values.forEach(value -> numbers.add(orElse(value, NONE)));
    List<Expression> arguments =
        List.of(new CreateArray(seq(longs(numbers)), false), new CreateArray(seq(texts), false));
    return new Filter(call(tap, "putTexts", DataTypes.BooleanType, arguments, false), plan);
  }

  /** Return at least one number: an empty array of Spark has no type. */
  private static List<Expression> longs(List<Expression> numbers) {
    return numbers.isEmpty() ? List.of(number(0)) : numbers;
  }

  public static Expression asText(Expression value, String timeZone) {
    return new Cast(
        value, DataTypes.StringType, Option.apply(timeZone), EvalMode$.MODULE$.LEGACY());
  }

  /** Return the tap of a filter, or null if the plan is no filter with a tap. */
  public static Tap tapOf(LogicalPlan plan) {
    if (plan instanceof Filter
        && ((Filter) plan).condition() instanceof Invoke
        && ((Invoke) ((Filter) plan).condition()).targetObject() instanceof Literal) {
      Invoke call = (Invoke) ((Filter) plan).condition();
      Object value = ((Literal) call.targetObject()).value();
      return value instanceof Tap ? (Tap) value : null;
    }
    return null;
  }
}

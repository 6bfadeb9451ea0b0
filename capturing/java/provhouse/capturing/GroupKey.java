package provhouse.capturing;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.UnixDate;
import org.apache.spark.sql.catalyst.expressions.XxHash64;
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;

/**
 * A 64-bit number that stands for the group of a row.
 *
 * <p>{@code check} is NULL if different groups have different numbers for certain. Otherwise two
 * groups may have one number, and the landing must see it: by the keys of all groups, which Spark
 * computes anyway above an aggregate, or by {@code check}, a second hash that is made in another way.
 *
 * <p>{@code column} is the column of integers that alone makes the group, or NULL. If the files of a
 * source have it, {@code source} says where, so that a tap need not write it.
 */
record GroupKey(Expression value, Expression check, Attribute column, Map<String, Object> source) {
  /** Stands for the group of NULL. */
  private static final long NULL_GROUP = Long.MIN_VALUE + 1;

  private static final long SEED = 42;
  private static final long CHECK_SEED = 0x9E3779B97F4A7C15L;
  private static final List<DataType> SMALL =
      List.of(
          DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.BooleanType);
  /** The types of integers, each wider than the one before. */
  static final List<DataType> WIDTHS =
      List.of(
          DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType);

  private static final List<DataType> HASHED =
      List.of(
          DataTypes.LongType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.TimestampNTZType,
          DataTypes.BinaryType);

  private GroupKey(Expression value, Expression check) {
    this(value, check, null, null);
  }

  /** Return the number of the group that these values make, where NULL equals NULL. */
  static GroupKey of(List<Expression> grouping, String operator) {
    List<Expression> values = new ArrayList<>();
    for (Expression each : grouping) {
      if (!each.foldable()) {
        values.add(normalized(each, operator));
      }
    }
    if (values.isEmpty()) {
      return new GroupKey(Plans.number(0), null);
    }
    return values.size() == 1 ? single(values.get(0)) : withNulls(values);
  }

  /**
   * Return the number of one side's keys of an equi-join; both sides must give the same number.
   *
   * <p>NULL has no match, so what its number is does not matter.
   */
  static GroupKey matching(List<Expression> keys, String operator) {
    List<Expression> values = new ArrayList<>();
    keys.forEach(each -> values.add(normalized(each, operator)));
    Expression number = values.size() == 1 ? number(values.get(0)) : null;
    if (number != null) {
      Attribute column = column(values.get(0));
      return new GroupKey(Plans.orElse(number, NULL_GROUP), null, column, null);
    }
    return values.isEmpty() ? new GroupKey(Plans.number(0), null) : hashed(values);
  }

  /**
   * Return the number of a value within a group with this number.
   *
   * <p>The check needs the columns that make the group, so only rows below the aggregate have one.
   */
  GroupKey element(Expression group, Expression value) {
    List<Expression> checked = new ArrayList<>(List.of(value, group));
    if (check != null) {
      checked.add(check);
    }
    return new GroupKey(
        new XxHash64(Plans.seq(List.of(group, value)), SEED),
        new XxHash64(Plans.seq(checked), CHECK_SEED));
  }

  /** Return a number for a row's place in a partition, from which the ingest tells others apart. */
  static Expression ofPart(Expression partition, Expression place) {
    return new XxHash64(Plans.seq(List.of(partition, place)), SEED);
  }

  boolean distinct() {
    return check == null;
  }

  GroupKey unchecked() {
    return new GroupKey(value, null, column, source);
  }

  /**
   * Return this key for rows with these slots. If one is of a source that has the column, an ingest
   * reads the key from there, and sees there whether the number of NULL is one of its values.
   */
  GroupKey from(List<Slot> slots) {
    for (int slot = 0; slot < slots.size() && column != null; slot++) {
      String name = slots.get(slot).columns().get(column.exprId());
      if (name != null) {
        return new GroupKey(value, null, column, Map.of("slot", slot, "column", name));
      }
    }
    return this;
  }

  /** Return the column of integers that a value is, also if it is made wider, or null. */
  private static Attribute column(Expression value) {
    Expression found = value;
    while (found instanceof Cast
        && WIDTHS.contains(found.dataType())
        && WIDTHS.indexOf(((Cast) found).child().dataType()) >= 0
        && WIDTHS.indexOf(((Cast) found).child().dataType())
            <= WIDTHS.indexOf(found.dataType())) {
      found = ((Cast) found).child();
    }
    return found instanceof Attribute && WIDTHS.contains(found.dataType())
        ? (Attribute) found
        : null;
  }

  /** Return a value as a number that is equal exactly if the value is, or null if there is none. */
  private static Expression number(Expression value) {
    DataType type = value.dataType();
    if (type.equals(DataTypes.DateType)) {
      return Plans.asLong(new UnixDate(value));
    }
    return SMALL.contains(type) || type.equals(DataTypes.LongType) ? Plans.asLong(value) : null;
  }

  private static GroupKey single(Expression value) {
    Expression number = number(value);
    if (number == null) {
      return withNulls(List.of(value));
    }
    // A nullable column of 64 bits may have the value NULL_GROUP, too.
    boolean distinct = !value.dataType().equals(DataTypes.LongType) || !value.nullable();
    Expression check = distinct ? null : withNulls(List.of(value)).check();
    return new GroupKey(Plans.orElse(number, NULL_GROUP), check, column(value), null);
  }

  private static GroupKey withNulls(List<Expression> values) {
    List<Expression> hashed = new ArrayList<>();
    for (Expression each : values) {
      hashed.add(each);
      if (each.nullable()) { // the hash skips NULL, so that (NULL, 5) and (5, NULL) would be equal
        hashed.add(new IsNull(each));
      }
    }
    return hashed(hashed);
  }

  private static GroupKey hashed(List<Expression> values) {
    List<Expression> reversed = new ArrayList<>(values);
    Collections.reverse(reversed);
    return new GroupKey(
        new XxHash64(Plans.seq(values), SEED), new XxHash64(Plans.seq(reversed), CHECK_SEED));
  }

  /** Return the value as Spark compares it; refuse types whose equality is not that of the hash. */
  private static Expression normalized(Expression value, String operator) {
    DataType type = value.dataType();
    if (type.equals(DataTypes.FloatType) || type.equals(DataTypes.DoubleType)) {
      return new NormalizeNaNAndZero(value);
    }
    if (isExact(type)) {
      return value;
    }
    throw Unsupported.operator(
        operator, "It compares " + value.sql() + " of type " + type.simpleString());
  }

  /** Return whether values of a type are equal exactly if their bytes are. */
  static boolean isExact(DataType type) {
    boolean text = type instanceof StringType && ((StringType) type).isUTF8BinaryCollation();
    return text
        || type instanceof DecimalType
        || SMALL.contains(type)
        || HASHED.contains(type);
  }
}

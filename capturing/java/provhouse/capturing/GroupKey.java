package provhouse.capturing;

import java.util.ArrayList;
import java.util.List;
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
 * <p>{@code distinct} says whether different groups have different numbers for certain. Otherwise
 * the keys of all groups are written too, and the landing proves that no two are equal.
 */
record GroupKey(Expression value, boolean distinct) {
  /** Stands for the group of NULL. */
  private static final long NULL_GROUP = Long.MIN_VALUE + 1;

  private static final long SEED = 42;
  private static final List<DataType> SMALL =
      List.of(
          DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.BooleanType);
  private static final List<DataType> HASHED =
      List.of(
          DataTypes.LongType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.TimestampNTZType,
          DataTypes.BinaryType,
          DataTypes.FloatType,
          DataTypes.DoubleType);

  static GroupKey of(List<Expression> grouping) {
    List<Expression> values = new ArrayList<>();
    for (Expression each : grouping) {
      if (!each.foldable()) {
        values.add(normalized(each));
      }
    }
    if (values.isEmpty()) {
      return new GroupKey(Plans.number(0), true);
    }
    return values.size() == 1 ? single(values.get(0)) : hashed(values);
  }

  /** Return a value as a number that is equal exactly if the value is, or null if there is none. */
  static Expression number(Expression value) {
    DataType type = value.dataType();
    if (type.equals(DataTypes.DateType)) {
      return Plans.asLong(new UnixDate(value));
    }
    return SMALL.contains(type) || type.equals(DataTypes.LongType) ? Plans.asLong(value) : null;
  }

  private static GroupKey single(Expression value) {
    Expression number = number(value);
    if (number == null) {
      return hashed(List.of(value));
    }
    // A nullable column of 64 bits may have the value NULL_GROUP, too.
    boolean distinct = !value.dataType().equals(DataTypes.LongType) || !value.nullable();
    return new GroupKey(Plans.orElse(number, NULL_GROUP), distinct);
  }

  private static GroupKey hashed(List<Expression> values) {
    List<Expression> hashed = new ArrayList<>();
    for (Expression each : values) {
      hashed.add(each);
      if (each.nullable()) { // the hash skips NULL, so that (NULL, 5) and (5, NULL) would be equal
        hashed.add(new IsNull(each));
      }
    }
    return new GroupKey(new XxHash64(Plans.seq(hashed), SEED), false);
  }

  /** Return the value as Spark compares it; refuse types whose equality is not that of the hash. */
  private static Expression normalized(Expression value) {
    DataType type = value.dataType();
    if (type.equals(DataTypes.FloatType) || type.equals(DataTypes.DoubleType)) {
      return new NormalizeNaNAndZero(value);
    }
    boolean text = type instanceof StringType && ((StringType) type).isUTF8BinaryCollation();
    if (text
        || type instanceof DecimalType
        || SMALL.contains(type)
        || HASHED.contains(type)) {
      return value;
    }
    throw Unsupported.operator(
        "Aggregate", "It groups by " + value.sql() + " of type " + type.simpleString());
  }
}
